import type { Member, Role } from '../member/member.ts';

/** What following a link does, once. */
export type OneTimeLinkPurpose =
  /** Makes a member of the organisation, with this role. */
  | { readonly kind: 'invitation'; readonly email: string; readonly role: Role }
  /** Makes the first Owner of an install without members: never stored, see `first-owner-offer.ts`. */
  | { readonly kind: 'first-owner' }
  /** Signs a member in, who then may set a password. */
  | { readonly kind: 'sign-in'; readonly memberId: string };

/**
 * A link that works once. Its secret stands in the fragment of the address, which browsers send to no server, and is
 * consumed by a POST alone; stored is its SHA-256.
 */
export interface OneTimeLink {
  readonly id: string;
  /** Of the organisation that keeps it; of a person who is in none, the id of that member. */
  readonly organisationId: string;
  readonly purpose: OneTimeLinkPurpose;
  readonly secretHash: Uint8Array;
  /** Member id, or null when the operator or a start made it. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export const linkLifetimeMs = 24 * 60 * 60 * 1000;
export const invitationLifetimeMs = 7 * 24 * 60 * 60 * 1000;
/** Open invitations of one organisation. */
export const invitationsMax = 1000;

/** Where the links that sign a member in are kept. */
export function linkKeeper({ id, organisationId }: Member): string {
  return organisationId ?? id;
}

/** Expired means now ≥ `expiresAt`. A link that was used is deleted. */
export function isLinkOver(link: OneTimeLink, now: number): boolean {
  return now >= link.expiresAt;
}
