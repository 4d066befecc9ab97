import type { Answer, SqlConnection, Statement } from './connection.ts';
import type { LogRow, LogRows } from './rows.ts';
import { readTimeoutMs } from './time-limits.ts';

/** Beyond every part of a position: what comes behind it begins with the next position. */
export const maxPart = 2 ** 31 - 1;

/** What is read at once. A row alone may be larger than `bytes`: it comes whole. */
export interface RowBounds {
  readonly rows: number;
  readonly bytes: number;
}

export const followBounds: RowBounds = { rows: 500, bytes: 16 * 1024 * 1024 };
/** Rows behind a position and part, until so many or so many bytes: always one at least, if there is one. */
const rowsStatement: Statement = {
  name: 'rows',
  text: (schema) => `
    select position, part, parts, node, batch, format, changes, checksum from (
      select first.*, sum(octet_length(changes)) over (order by position, part) - octet_length(changes) as before
      from (
        select * from ${schema}.log
        where (position, part) > ($1::bigint, $2::int)
        order by position, part limit $3::int
      ) as first
    ) as counted
    where before < $4::bigint order by position, part`,
};

/** Of a row that is kept in parts, one of them. */
export interface PartRow extends LogRow {
  readonly part: number;
  readonly parts: number;
}

/**
 * Reads the rows behind a position, whole and in order. None may mean that there is none yet, or that they were
 * trimmed: `Head.keptFrom` says which. A first row that is not the next position was trimmed in between.
 */
export async function rowsAfter(
  connection: SqlConnection,
  position: number,
  bounds: RowBounds = followBounds,
): Promise<LogRows> {
  const read = (after: number, part: number) =>
    connection.whileArriving(readTimeoutMs, sendRows(connection, after, bounds, part));
  const { rows: parts } = await read(position, maxPart);
  const [first] = parts;
  if (first === undefined) return { rows: [], hasMore: false };
  // A row of more bytes than are read at once: its parts are fetched until it is whole.
  while (isCut(parts) && parts.at(-1)?.position === first.position) {
    const last = parts.at(-1) as PartRow;
    const { rows: next } = await read(last.position, last.part);
    const further = next.filter((part) => part.position === first.position);
    if (further.length === 0) break;
    parts.push(...further);
    if (!isCut(parts)) return { rows: joinParts(parts), hasMore: true };
  }
  return toLogRows(parts, bounds);
}

export function sendRows(
  connection: SqlConnection,
  position: number,
  { rows, bytes }: RowBounds,
  part = maxPart,
): Promise<Answer<PartRow>> {
  return connection.run<PartRow>(rowsStatement, [position, part, rows, bytes]);
}

/** Whether the last row lacks parts. */
function isCut(parts: readonly PartRow[]): boolean {
  const last = parts.at(-1);
  return last !== undefined && last.part < last.parts - 1;
}

/** Whole rows; what a bound cut off is left for the next read. */
export function toLogRows(parts: readonly PartRow[], bounds: RowBounds): LogRows {
  const bytes = parts.reduce((sum, { changes }) => sum + changes.length, 0);
  const hasMore = isCut(parts) || parts.length >= bounds.rows || bytes >= bounds.bytes;
  const cut = isCut(parts) ? parts.at(-1)?.position : undefined;
  return { rows: joinParts(parts.filter(({ position }) => position !== cut)), hasMore };
}

function joinParts(parts: readonly PartRow[]): LogRow[] {
  const rows: LogRow[] = [];
  let held: Buffer[] = [];
  for (const { part, parts: count, changes, ...row } of parts) {
    held.push(changes);
    if (part < count - 1) continue;
    rows.push({ ...row, changes: held.length === 1 ? changes : Buffer.concat(held) });
    held = [];
  }
  return rows;
}
