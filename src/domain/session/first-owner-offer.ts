import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { OneTimeLink } from './one-time-link.ts';

/**
 * The link of the first Owner, which a process keeps in memory: it is not stored, so that a start needs no write, and the
 * link ends with the process, which was the only one to show it. A node of a cluster stores it, too, so that every node
 * accepts it until it expires.
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
  return hasMembers(queries) ? undefined : linkOf(queries, offer);
}

export function hasMembers(queries: RecordQueries): boolean {
  for (const _ of queries.members()) return true;
  return false;
}

function linkOf(queries: RecordQueries, offer: FirstOwnerOffer): OneTimeLink | undefined {
  const [oldest] = [...queries.organisations()].sort((one, other) => one.createdAt - other.createdAt);
  if (oldest === undefined) return undefined;
  return { ...offer, organisationId: oldest.id, purpose: { kind: 'first-owner' }, createdBy: null };
}

/** Offers of a cluster that are kept: nodes that restart often make no more. */
const offersMax = 10;

/** @returns changes that store the offer for all nodes, and remove the oldest ones; none if it could not be used */
export function storeOffer(queries: RecordQueries, offer: FirstOwnerOffer): readonly RecordChange[] {
  const link = hasMembers(queries) ? undefined : linkOf(queries, offer);
  if (link === undefined) return [];
  const former = firstOwnerLinksOf(queries, link.organisationId)
    .sort((one, other) => other.createdAt - one.createdAt)
    .slice(offersMax - 1);
  return [...former.map(withdrawn), { kind: 'one-time-link', before: null, after: link }];
}

/** @returns changes that end all stored offers, once there is an Owner */
export function endOffers(queries: RecordQueries, organisationId: string): readonly RecordChange[] {
  return firstOwnerLinksOf(queries, organisationId).map(withdrawn);
}

function firstOwnerLinksOf(queries: RecordQueries, organisationId: string): OneTimeLink[] {
  return [...queries.oneTimeLinksOf(organisationId)].filter(({ purpose }) => purpose.kind === 'first-owner');
}

function withdrawn(before: OneTimeLink): RecordChange {
  return { kind: 'one-time-link', before, after: null };
}
