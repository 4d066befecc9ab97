import type { ChainedEntry } from '../../domain/audit/audit-entry.ts';
import { walkAudit } from '../../domain/audit/audit-walk.ts';
import { changesAsJson } from '../../domain/audit/changes-text.ts';
import type { ProblemList } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { TextPieces } from '../../support/text-pieces.ts';
import type { ConsoleRequest, Shown } from '../operation.ts';
import { type AuditScope, projectNames } from './audit-scope.ts';

interface ExportFormat {
  readonly contentType: string;
  readonly head: string;
  /** In pieces, because an entry may be megabytes. */
  row(chained: ChainedEntry, projectName: string | null): TextPieces;
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
): Generator<string | Uint8Array> {
  const nameOf = projectNames(queries);
  yield head;
  for (const { matches } of walkAudit(queries, ledgerId, filter, null)) {
    yield '';
    for (const chained of matches) yield* row(chained, nameOf(chained.entry.projectId));
  }
}

/** The entry as the console shows it, with whole lists, and its place in the chain. */
function* ndjsonRow({ sequence, entry, changesJson, hash }: ChainedEntry, projectName: string | null) {
  const { id, at, actor, action, projectId, targetId, targetName, environment, requestId } = entry;
  const what = { sequence, id, at, actor, action, projectId, projectName, targetId, targetName, environment };
  yield `${JSON.stringify(what).slice(0, -1)},"changes":`;
  yield* changesAsJson(changesJson);
  yield `,${JSON.stringify({ requestId, hash: toHexadecimal(hash) }).slice(1)}\n`;
}

function* csvRow({ sequence, entry, changesJson, hash }: ChainedEntry, projectName: string | null) {
  const { id, at, actor, action, projectId, targetId, targetName, environment, requestId } = entry;
  const who = [String(sequence), id, new Date(at).toISOString(), actor.kind, actor.id, actor.name, action];
  const what = [projectId ?? '', projectName ?? '', targetId, targetName, environment ?? ''];
  yield `${[...who, ...what].map(csvCell).join(',')},`;
  yield* changesCell(changesJson);
  yield `,${[requestId ?? '', toHexadecimal(hash)].map(csvCell).join(',')}\r\n`;
}

/** The same as `csvCell`, in pieces. It begins with a bracket, so no spreadsheet executes it. */
function* changesCell(changesJson: Buffer): Generator<string | Uint8Array> {
  yield '"';
  for (const piece of changesAsJson(changesJson)) {
    yield typeof piece === 'string' ? piece.replaceAll('"', '""') : doubleQuotes(piece);
  }
  yield '"';
}

const quote = 0x22;

let doubledMemory = Buffer.allocUnsafe(0);

/** @returns the piece with each quote twice, in memory that the thread's next call overwrites */
function doubleQuotes(piece: Uint8Array): Uint8Array {
  if (doubledMemory.length < 2 * piece.length) doubledMemory = Buffer.allocUnsafe(2 * piece.length);
  const memory = doubledMemory;
  let length = 0;
  for (let at = 0; at < piece.length; at += 1) {
    const byte = piece[at] as number;
    memory[length] = byte;
    length += 1;
    if (byte !== quote) continue;
    memory[length] = quote;
    length += 1;
  }
  return memory.subarray(0, length);
}

function toHexadecimal(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Characters that spreadsheets take as the beginning of a formula, or drop before one. */
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
