import { type Static, Type } from 'typebox';
import { id, nullable, permissionSchema, shape, text, time } from './view-parts.ts';

export const tokenViewSchema = shape({
  id,
  name: text,
  permission: permissionSchema,
  /** Null: every environment. Names, also of environments that are gone. */
  environments: nullable(Type.Array(text)),
  status: Type.Union([Type.Literal('active'), Type.Literal('revoked'), Type.Literal('expired')]),
  /** 0 means never. */
  expiresAt: time,
  createdAt: time,
  createdById: nullable(id),
  createdByName: nullable(text),
  revokedAt: nullable(time),
  /** Null: never, or not for as long as it is kept. */
  lastUsedAt: nullable(time),
  lastDeniedAt: nullable(time),
  /** Whether the asking member may revoke and rotate it. */
  isManageable: Type.Boolean(),
});
export type TokenView = Static<typeof tokenViewSchema>;

/** The secret stands in this answer alone, once. */
export const madeTokenSchema = shape({ token: tokenViewSchema, secret: text });
export type MadeToken = Static<typeof madeTokenSchema>;

export const tokenActivitySchema = shape({
  token: tokenViewSchema,
  /** Newest first. Requests that did the same within the same few seconds are one row. */
  uses: Type.Array(
    shape({
      at: time,
      route: text,
      environment: nullable(text),
      address: text,
      count: Type.Integer({ minimum: 1 }),
    }),
  ),
  denials: Type.Array(
    shape({ at: time, reason: text, route: text, environment: nullable(text), address: text }),
  ),
});
export type TokenActivity = Static<typeof tokenActivitySchema>;
