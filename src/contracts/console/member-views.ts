import { type Static, Type } from 'typebox';
import type { Member } from '../../domain/member/member.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { id, nullable, revision, roleSchema, shape, text, time } from './view-parts.ts';

export const memberViewSchema = shape({
  id,
  name: text,
  email: text,
  role: roleSchema,
  createdAt: time,
  /** Null before the first one. */
  lastSignInAt: nullable(time),
  revision,
  /** How the member can sign in. */
  hasPassword: Type.Boolean(),
  hasIdentity: Type.Boolean(),
});
export type MemberView = Static<typeof memberViewSchema>;

/** The active tokens that a member has created. */
export const memberTokensSchema = shape({
  /** At most 100, by project. */
  tokens: Type.Array(shape({ id, name: text, projectId: id, projectName: text })),
  /** The number of further ones. */
  more: Type.Integer({ minimum: 0 }),
});
export type MemberTokens = Static<typeof memberTokensSchema>;

export const linkViewSchema = shape({
  kind: Type.Union([Type.Literal('invitation'), Type.Literal('first-owner'), Type.Literal('sign-in')]),
  /** Null when the link signs in a person without an organisation. */
  organisationName: nullable(text),
  email: nullable(text),
  name: nullable(text),
  role: nullable(roleSchema),
  expiresAt: time,
  /** Whether the link's form asks for a name, for a password, and for the name of the organisation. */
  needsName: Type.Boolean(),
  needsPassword: Type.Boolean(),
  needsOrganisation: Type.Boolean(),
});
export type LinkView = Static<typeof linkViewSchema>;

export const invitationRowSchema = shape({
  id,
  email: text,
  role: roleSchema,
  createdAt: time,
  expiresAt: time,
  createdByName: nullable(text),
});
export type InvitationRow = Static<typeof invitationRowSchema>;

/** A new link: shown once, and handed over by its maker. */
export const madeLinkSchema = shape({ id, url: text, expiresAt: time });
export type MadeLink = Static<typeof madeLinkSchema>;

/** A member as the console shows it: whether there is a password, never its hash. */
export function memberView(queries: RecordQueries, member: Member): MemberView {
  const { id, name, email, role, createdAt, lastSignInAt, revision } = member;
  const hasIdentity = !isEmpty(queries.identitiesOf(id));
  return {
    id,
    name,
    email,
    role,
    createdAt,
    lastSignInAt,
    revision,
    hasPassword: member.passwordHash !== null,
    hasIdentity,
  };
}

function isEmpty(items: Iterable<unknown>): boolean {
  for (const _ of items) return false;
  return true;
}
