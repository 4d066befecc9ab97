import type { RecordQueries } from '../record-queries.ts';
import type { OneTimeLink } from './one-time-link.ts';

/**
 * The link of the first Owner, which a process keeps in memory only. It is not stored, so that a start needs no write,
 * and the link ends with the process, because nobody can show it again.
 */
export interface FirstOwnerOffer {
  readonly id: string;
  readonly secretHash: Uint8Array;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * The offer as a link into the oldest organisation, if this is its secret. That it works once needs no record: it
 * creates a member, and from then on there is always an Owner.
 *
 * @returns undefined too when there is a member already, or no organisation.
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
