import { type Static, Type } from 'typebox';
import { memberViewSchema } from './member-views.ts';
import { organisationViewSchema } from './organisation-views.ts';
import { id, nullable, shape, text, time } from './view-parts.ts';

/** With `isSignedIn: false` the rest is absent, apart from `hasMembers`. */
export const sessionViewSchema = shape({
  isSignedIn: Type.Boolean(),
  /** Name of the OpenID provider for signing in; null when none is configured. */
  openIdName: nullable(text),
  /** False in a new service, where nobody can sign in yet. Only with `isSignedIn: false`. */
  hasMembers: Type.Optional(Type.Boolean()),
  sessionId: Type.Optional(id),
  member: Type.Optional(memberViewSchema),
  organisation: Type.Optional(nullable(organisationViewSchema)),
  /** The position from which to watch: all that is read from now on contains the changes up to it. */
  position: Type.Optional(text),
  /** Whether SMTP is configured, so that denial emails are sent. */
  isMailConfigured: Type.Optional(Type.Boolean()),
  /** Whether the service is a node of a cluster. */
  isCluster: Type.Optional(Type.Boolean()),
  /** Addresses of the documentation and of the service; absent where they are not set. */
  docsUrl: Type.Optional(text),
  baseUrl: Type.Optional(text),
});
export type SessionView = Static<typeof sessionViewSchema>;

/** A person who has this email and password in several organisations has to choose one. */
export const signInAnswerSchema = shape({
  /** Empty when the session has begun; otherwise the organisations to choose from. */
  choices: Type.Array(shape({ memberId: id, organisationName: text })),
});
export type SignInAnswer = Static<typeof signInAnswerSchema>;

/** Where the browser goes next: a page of the OpenID provider. */
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
