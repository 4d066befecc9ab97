import { auditEntryView } from '../../../contracts/console/audit-entry-view.ts';
import type { ConsoleReply, ConsoleRequest } from '../../../contracts/console/console-handler.ts';
import type { ChainedEntry } from '../../../domain/audit/audit-entry.ts';
import { walkAudit } from '../../../domain/audit/audit-walk.ts';
import { csvCell } from '../../../domain/audit/csv-cell.ts';
import type { ProblemList } from '../../../domain/problem-list.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type { AuditScope } from './audit-scope.ts';
import { projectNames } from './project-names.ts';

interface ExportFormat {
  readonly contentType: string;
  readonly head: string;
  row(chained: ChainedEntry, projectName: string | null): string;
}

const csvColumns = [
  'sequence',
  'id',
  'time',
  'actorKind',
  'actorId',
  'actorName',
  'action',
  'projectId',
  'projectName',
  'targetId',
  'targetName',
  'environment',
  'changes',
  'requestId',
  'hash',
];

const formats = new Map<string, ExportFormat>([
  ['ndjson', { contentType: 'application/x-ndjson', head: '', row: ndjsonRow }],
  ['csv', { contentType: 'text/csv; charset=utf-8', head: `${csvColumns.join(',')}\r\n`, row: csvRow }],
]);

/** @returns the name of the format; without one it is NDJSON. */
export function readFormat({ query }: ConsoleRequest, problems: ProblemList): string {
  const format = query['format'] ?? 'ndjson';
  if (!formats.has(format)) problems.add(() => 'format must be "ndjson" or "csv"');
  return format;
}

/** Every entry that matches, newest first, as a file. */
export function auditExport(
  queries: RecordQueries,
  scope: AuditScope,
  formatName: string,
  now: number,
): ConsoleReply {
  const format = formats.get(formatName);
  if (format === undefined) throw new Error(`${formatName} is not a format of exports`);
  const day = new Date(now).toISOString().slice(0, 10);
  const text = exportInPieces(queries, scope, format);
  return { pieces: { contentType: format.contentType, text, fileName: `audit-log-${day}.${formatName}` } };
}

function* exportInPieces(
  queries: RecordQueries,
  { ledgerId, filter }: AuditScope,
  { head, row }: ExportFormat,
): Generator<string> {
  const nameOf = projectNames(queries);
  yield head;
  for (const { matches } of walkAudit(queries, ledgerId, filter, null)) {
    yield matches.map((chained) => row(chained, nameOf(chained.entry.projectId))).join('');
  }
}

/** What the console shows, and the place in the chain. */
function ndjsonRow({ sequence, entry, hash }: ChainedEntry, projectName: string | null): string {
  const view = auditEntryView(entry, projectName);
  return `${JSON.stringify({ sequence, ...view, hash: toHexadecimal(hash) })}\n`;
}

function csvRow({ sequence, entry, hash }: ChainedEntry, projectName: string | null): string {
  const { actor, action, projectId, targetId, targetName, environment, requestId } = entry;
  const cells = [
    ...[
      String(sequence),
      entry.id,
      new Date(entry.at).toISOString(),
      actor.kind,
      actor.id,
      actor.name,
      action,
    ],
    ...[projectId ?? '', projectName ?? '', targetId, targetName, environment ?? ''],
    ...[JSON.stringify(entry.changes), requestId ?? '', toHexadecimal(hash)],
  ];
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function toHexadecimal(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
