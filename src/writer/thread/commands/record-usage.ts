import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type { Usage } from '../../client/writer-protocol.ts';

/** What was counted in memory, as records. A token that is gone has no page to show it on. */
export function recordUsage(queries: RecordQueries, { uses, counts }: Usage): RecordChange[] {
  const known = uses.filter(({ tokenId }) => queries.token(tokenId) !== undefined);
  return [
    ...known.map((use) => ({ kind: 'token-use', use }) as const),
    ...counts.map((count) => ({ kind: 'evaluation-count', count }) as const),
  ];
}
