import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Identity } from './identity.ts';

/** Of one member, one for each issuer; the oldest makes room. */
export const identitiesMax = 10;

/** Joins an identity, which nobody has, to a member. The one that the member had at the same issuer ends. */
export function joinIdentity(queries: RecordQueries, after: Identity): readonly RecordChange[] {
  const own = [...queries.identitiesOf(after.memberId)].sort((one, other) => one.createdAt - other.createdAt);
  const others = own.filter(({ issuer }) => issuer !== after.issuer);
  const surplus = others.slice(0, Math.max(0, others.length - (identitiesMax - 1)));
  const ended = own.filter((identity) => identity.issuer === after.issuer || surplus.includes(identity));
  const ends = ended.map((before): RecordChange => ({ kind: 'identity', before, after: null }));
  return [...ends, { kind: 'identity', before: null, after }];
}

export function hasIdentityAt(queries: RecordQueries, memberId: string, issuer: string): boolean {
  for (const identity of queries.identitiesOf(memberId)) if (identity.issuer === issuer) return true;
  return false;
}
