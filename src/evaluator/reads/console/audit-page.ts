import { auditEntryView } from '../../../contracts/console/audit-entry-view.ts';
import type { ConsoleReply, ConsoleRequest } from '../../../contracts/console/console-handler.ts';
import { walkAudit } from '../../../domain/audit/audit-walk.ts';
import type { ProblemList } from '../../../domain/problem-list.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type { AuditScope } from './audit-scope.ts';
import { projectNames } from './project-names.ts';

const pageSize = 100;
/** What one request looks at: with filters that match little, a page may be empty and have a next one all the same. */
export const walkedMax = 10_000;

/** @returns the sequence below which the page begins; null begins at the newest. A page stays what it was. */
export function readCursor({ query }: ConsoleRequest, problems: ProblemList): number | null {
  const text = query['cursor'];
  if (text === undefined) return null;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  problems.add(() => 'cursor must be the nextCursor of a page, as it was given');
  return null;
}

/** A page of entries, newest first, and where the next one begins. */
export function auditPage(
  queries: RecordQueries,
  { ledgerId, filter }: AuditScope,
  cursor: number | null,
): ConsoleReply {
  const text = pageInPieces(queries, { ledgerId, filter }, cursor);
  return { pieces: { contentType: 'application/json', text } };
}

function* pageInPieces(
  queries: RecordQueries,
  { ledgerId, filter }: AuditScope,
  cursor: number | null,
): Generator<string> {
  const nameOf = projectNames(queries);
  let [listed, walked] = [0, 0];
  let next: number | null = null;
  yield '{"entries":[';
  for (const batch of walkAudit(queries, ledgerId, filter, cursor)) {
    const fitting = batch.matches.slice(0, pageSize - listed);
    const rows = fitting.map(({ entry }) => JSON.stringify(auditEntryView(entry, nameOf(entry.projectId))));
    yield `${listed > 0 && rows.length > 0 ? ',' : ''}${rows.join(',')}`;
    listed += rows.length;
    walked += batch.walked;
    const isCut = fitting.length < batch.matches.length;
    next = isCut ? (fitting.at(-1)?.sequence ?? next) : batch.next;
    if (listed === pageSize || walked >= walkedMax) break;
  }
  yield `],"nextCursor":${next === null ? 'null' : `"${next}"`}}`;
}
