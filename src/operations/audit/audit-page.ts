import { type AuditEntryView, auditEntryView } from '../../contracts/console/audit-views.ts';
import { walkAudit } from '../../domain/audit/audit-walk.ts';
import type { ProblemList } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { ConsoleRequest, Shown } from '../operation.ts';
import { type AuditScope, projectNames } from './audit-scope.ts';

const pageSize = 100;
/** The most entries that one request reads. If the filters match few, a page may be empty and still have a next one. */
const walkedMax = 10_000;
const walkedBytesMax = 32 * 1024 * 1024;

/** @returns the sequence below which the page begins; null begins at the newest. So a page never changes. */
export function readCursor({ query }: ConsoleRequest, problems: ProblemList): number | null {
  const text = query['cursor'];
  if (text === undefined) return null;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  problems.add(() => 'cursor must be the nextCursor of a page, unchanged');
  return null;
}

/** A page of entries, newest first, and the cursor of the next one. */
export function auditPage(
  queries: RecordQueries,
  { ledgerId, filter }: AuditScope,
  cursor: number | null,
): Shown {
  const text = pageInPieces(queries, { ledgerId, filter }, cursor);
  return { pieces: { contentType: 'application/json', text } };
}

function* pageInPieces(
  queries: RecordQueries,
  { ledgerId, filter }: AuditScope,
  cursor: number | null,
): Generator<string> {
  const nameOf = projectNames(queries);
  const audienceIds = new Set<string>();
  let [listed, walked, bytes] = [0, 0, 0];
  let next: number | null = null;
  yield '{"entries":[';
  for (const batch of walkAudit(queries, ledgerId, filter, cursor)) {
    const fitting = batch.matches.slice(0, pageSize - listed);
    yield '';
    for (const chained of fitting) {
      const view = auditEntryView(chained, nameOf(chained.entry.projectId));
      noteAudiences(view, audienceIds);
      yield (listed > 0 ? ',' : '') + JSON.stringify(view);
      listed += 1;
    }
    walked += batch.walked;
    bytes += batch.bytes;
    const isCut = fitting.length < batch.matches.length;
    next = isCut ? (fitting.at(-1)?.sequence ?? next) : batch.next;
    if (listed === pageSize || walked >= walkedMax || bytes >= walkedBytesMax) break;
  }
  yield `],"audienceNames":${JSON.stringify(audienceNames(queries, audienceIds))}`;
  yield `,"droppedThrough":${queries.auditDroppedThrough(ledgerId)}`;
  yield `,"nextCursor":${next === null ? 'null' : `"${next}"`}}`;
}

/** @param ids receives the audiences that the entry's changes name */
function noteAudiences({ changes }: AuditEntryView, ids: Set<string>): void {
  for (const { field, before, after } of changes) {
    if (!/(^|\.)audienceId$/.test(field)) continue;
    for (const value of [before, after]) if (typeof value === 'string') ids.add(value);
  }
}

function audienceNames(queries: RecordQueries, ids: ReadonlySet<string>): Readonly<Record<string, string>> {
  const named = Array.from(ids).flatMap((id) => {
    const audience = queries.audience(id);
    return audience === undefined ? [] : [[id, audience.name] as const];
  });
  return Object.fromEntries(named);
}
