import { type Static, Type } from 'typebox';
import { id, nullable, permissionSchema, shape, text, time } from './view-parts.ts';

export const tokenViewSchema = shape({
  id,
  name: text,
  permission: permissionSchema,
  /** Null: every environment. Otherwise names, which may be of deleted environments. */
  environments: nullable(Type.Array(text)),
  status: Type.Union([Type.Literal('active'), Type.Literal('revoked'), Type.Literal('expired')]),
  /** 0 means never. */
  expiresAt: time,
  createdAt: time,
  createdById: nullable(id),
  createdByName: nullable(text),
  revokedAt: nullable(time),
  /** Null: never, or longer ago than it is kept. */
  lastUsedAt: nullable(time),
  lastDeniedAt: nullable(time),
  /** Whether the asking member may revoke and rotate it. */
  isManageable: Type.Boolean(),
});
export type TokenView = Static<typeof tokenViewSchema>;

/** The secret is in this answer only, once. */
export const madeTokenSchema = shape({ token: tokenViewSchema, secret: text });
export type MadeToken = Static<typeof madeTokenSchema>;

export const tokenActivitySchema = shape({
  token: tokenViewSchema,
  /** Newest first. Equal requests of the same few seconds are one row. */
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
    shape({
      at: time,
      reason: text,
      route: text,
      environment: nullable(text),
      address: text,
      /** The flag that the request named; its name is null if the project has no such flag now. */
      flag: nullable(shape({ id, name: nullable(text) })),
    }),
  ),
});
export type TokenActivity = Static<typeof tokenActivitySchema>;
