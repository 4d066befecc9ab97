import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type { Usage } from '../../client/writer-protocol.ts';

/** Makes records of the usage that was counted in memory. A deleted token has no page to show its usage on. */
export function recordUsage(queries: RecordQueries, { uses, counts }: Usage): RecordChange[] {
  const known = uses.filter(({ tokenId }) => queries.token(tokenId) !== undefined);
  return [
    ...known.map((use) => ({ kind: 'token-use', use }) as const),
    ...counts.map((count) => ({ kind: 'evaluation-count', count }) as const),
  ];
}
