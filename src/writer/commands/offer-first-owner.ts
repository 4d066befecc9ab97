import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { linkLifetimeMs } from '../../domain/session/one-time-link.ts';
import { type LinkContext, makeLink } from './console/make-link.ts';

interface FirstOwnerOffer {
  readonly changes: readonly RecordChange[];
  /** The address of the link, this once. */
  readonly url: string;
}

/**
 * While an install has no members, each start makes the link by which its first Owner comes to be; links of earlier starts
 * end, for nobody can show them again.
 *
 * @returns null when there are members, or no organisation that an Owner could have.
 */
export function offerFirstOwner(queries: RecordQueries, context: LinkContext): FirstOwnerOffer | null {
  for (const _ of queries.members()) return null;
  const organisations = [...queries.organisations()];
  const [organisation] = organisations.sort((one, other) => one.createdAt - other.createdAt);
  if (organisation === undefined) return null;
  const former = organisations.flatMap(({ id }) => [...queries.oneTimeLinksOf(id)]);
  const ended = former.filter(({ purpose }) => purpose.kind === 'first-owner');
  const { link, made } = makeLink(
    {
      organisationId: organisation.id,
      purpose: { kind: 'first-owner' },
      createdBy: null,
      lifetimeMs: linkLifetimeMs,
    },
    context,
  );
  const changes = [
    ...ended.map((before): RecordChange => ({ kind: 'one-time-link', before, after: null })),
    { kind: 'one-time-link', before: null, after: link } as const,
  ];
  return { changes, url: made.url };
}
