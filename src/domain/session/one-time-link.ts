import type { Role } from '../member/member.ts';

/** The effect of following a link, once. */
export type OneTimeLinkPurpose =
  /** Creates a member of the organisation, with this role. */
  | { readonly kind: 'invitation'; readonly email: string; readonly role: Role }
  /** Creates the first Owner of an install without members: stored in a cluster only, see `first-owner-offer.ts`. */
  | { readonly kind: 'first-owner' }
  /** Signs a member in, who may then set a password. */
  | { readonly kind: 'sign-in'; readonly memberId: string };

/**
 * A link that works once. Its secret is in the fragment of the address, which browsers send to no server. Only a POST
 * uses it up, and only its SHA-256 is stored.
 */
export interface OneTimeLink {
  readonly id: string;
  /** The organisation that the link is stored with; for a person without one, the id of that member. */
  readonly organisationId: string;
  readonly purpose: OneTimeLinkPurpose;
  readonly secretHash: Uint8Array;
  /** Member id; null when the operator or the start of a process made it. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export const linkLifetimeMs = 24 * 60 * 60 * 1000;
export const invitationLifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** Expired means now ≥ `expiresAt`. A link that was used is deleted. */
export function isLinkOver(link: OneTimeLink, now: number): boolean {
  return now >= link.expiresAt;
}
