import { type Static, Type } from 'typebox';
import { memberViewSchema } from './member-views.ts';
import { organisationViewSchema } from './organisation-views.ts';
import { id, nullable, shape, text, time } from './view-parts.ts';

/** `isSignedIn: false` comes without the rest. */
export const sessionViewSchema = shape({
  isSignedIn: Type.Boolean(),
  /** The name of the OpenID provider to sign in with; null when none is configured. */
  openIdName: nullable(text),
  sessionId: Type.Optional(id),
  member: Type.Optional(memberViewSchema),
  organisation: Type.Optional(nullable(organisationViewSchema)),
  /** All that is read from now on shows what had changed up to here. */
  position: Type.Optional(text),
  /** Whether denial emails go out: SMTP is configured. */
  isMailConfigured: Type.Optional(Type.Boolean()),
  docsUrl: Type.Optional(text),
  baseUrl: Type.Optional(text),
});
export type SessionView = Static<typeof sessionViewSchema>;

/** A person with one password in several organisations says which. */
export const signInAnswerSchema = shape({
  /** Empty when the session has begun. */
  choices: Type.Array(shape({ memberId: id, organisationName: text })),
});
export type SignInAnswer = Static<typeof signInAnswerSchema>;

/** Where the browser goes now: a page of the OpenID provider. */
export const openIdStartSchema = shape({ url: text });
export type OpenIdStart = Static<typeof openIdStartSchema>;

export const sessionRowSchema = shape({
  id,
  isCurrent: Type.Boolean(),
  createdAt: time,
  lastSeenAt: time,
  endsAt: time,
  address: text,
  userAgent: text,
});
export type SessionRow = Static<typeof sessionRowSchema>;
