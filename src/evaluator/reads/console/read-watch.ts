import type { ConsoleReply } from '../../../contracts/console/console-handler.ts';
import { readPosition, type Watched } from '../../../domain/audit/watch-position.ts';
import { watchedChanges } from '../../../domain/audit/watched-changes.ts';
import { allow, type ConsoleOutcome, deny } from '../../../domain/console/console-problem.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';

const wrongPosition = 'since must be a position that the service has told, as it was given';

/** @param since a position as it was told; undefined begins now. */
export function readWatch(
  queries: RecordQueries,
  watched: Watched,
  since: string | undefined,
): ConsoleOutcome<ConsoleReply> {
  const from = since === undefined ? null : readPosition(since);
  if (from === null && since !== undefined) return deny('invalid-request', wrongPosition);
  const { organisationId } = watched;
  return allow({ value: { organisationId, ...watchedChanges(queries, watched, from) } });
}
