import type { RecordQueries } from '../record-queries.ts';
import type { OneTimeLink } from './one-time-link.ts';

/**
 * The link of the first Owner, as a process keeps it: in memory alone. Nothing is written for it, so that a start needs
 * nothing of the disk, and the link ends with the process, for nobody can show it again.
 */
export interface FirstOwnerOffer {
  readonly id: string;
  readonly secretHash: Uint8Array;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * The offer as a link into the oldest organisation, when this is its secret. That it works once needs no record: it
 * makes a member, and there is always an Owner from then on.
 *
 * @returns undefined too where somebody is a member already, or where no organisation is.
 */
export function firstOwnerLink(
  queries: RecordQueries,
  offer: FirstOwnerOffer,
  secretHash: Uint8Array,
): OneTimeLink | undefined {
  if (!offer.secretHash.every((byte, index) => byte === secretHash[index])) return undefined;
  for (const _ of queries.members()) return undefined;
  const [oldest] = [...queries.organisations()].sort((one, other) => one.createdAt - other.createdAt);
  if (oldest === undefined) return undefined;
  return { ...offer, organisationId: oldest.id, purpose: { kind: 'first-owner' }, createdBy: null };
}
