import type { ChainedEntry } from '../../domain/audit/audit-entry.ts';
import { walkAudit } from '../../domain/audit/audit-walk.ts';
import { changesFromText } from '../../domain/audit/recorded-changes.ts';
import type { ProblemList } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { ConsoleRequest, Shown } from '../operation.ts';
import { type AuditScope, auditQuery, projectNames } from './audit-scope.ts';

/** The query of an export. */
export const exportQuery = [...auditQuery, 'format'] as const;

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
  'address',
  'hash',
];

/** The byte order mark makes Excel read the file as UTF-8. */
const csvHead = `\u{FEFF}${csvColumns.join(',')}\r\n`;

const formats = new Map<string, ExportFormat>([
  ['ndjson', { contentType: 'application/x-ndjson', head: '', row: ndjsonRow }],
  ['csv', { contentType: 'text/csv; charset=utf-8', head: csvHead, row: csvRow }],
]);

/** @returns the name of the format; NDJSON by default. */
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
): Shown {
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
    yield '';
    for (const chained of matches) yield row(chained, nameOf(chained.entry.projectId));
  }
}

/** The entry as it was recorded, and its place in the chain. */
function ndjsonRow({ sequence, entry, changesJson, hash }: ChainedEntry, projectName: string | null): string {
  const { id, at, actor, action, projectId, targetId, targetName, environment, requestId, address } = entry;
  const what = { sequence, id, at, actor, action, projectId, projectName, targetId, targetName, environment };
  const changes = changesFromText(changesJson);
  return `${JSON.stringify({ ...what, changes, requestId, address, hash: toHexadecimal(hash) })}\n`;
}

function csvRow({ sequence, entry, changesJson, hash }: ChainedEntry, projectName: string | null): string {
  const { id, at, actor, action, projectId, targetId, targetName, environment, requestId, address } = entry;
  const who = [String(sequence), id, new Date(at).toISOString(), actor.kind, actor.id, actor.name, action];
  const what = [projectId ?? '', projectName ?? '', targetId, targetName, environment ?? ''];
  const changes = JSON.stringify(changesFromText(changesJson));
  const rest = [changes, requestId ?? '', address ?? '', toHexadecimal(hash)];
  return `${[...who, ...what, ...rest].map(csvCell).join(',')}\r\n`;
}

function toHexadecimal(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Characters with which a formula begins in spreadsheets, or which they drop before one. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/u;
const needsQuotes = /[",\r\n]/;

/**
 * @returns a value as a cell of a CSV file (RFC 4180). A value that a spreadsheet would execute gets an apostrophe
 * before it, which makes it text.
 */
export function csvCell(value: string): string {
  const text = formulaStart.test(value) ? `'${value}` : value;
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
