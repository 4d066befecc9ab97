import type { Answer, SqlConnection, Statement } from './connection.ts';
import type { LogRow, LogRows } from './rows.ts';
import { readTimeoutMs } from './time-limits.ts';

/** Greater than every part number: reading after it starts with the next position. */
export const maxPart = 2 ** 31 - 1;

/** Bounds of one read. A single row larger than `bytes` is read whole. */
export interface RowBounds {
  readonly rows: number;
  readonly bytes: number;
}

export const followBounds: RowBounds = { rows: 500, bytes: 16 * 1024 * 1024 };
/** Rows after a position and part, up to a number of rows and bytes, but at least one if there is one. */
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

/** One part of a row. */
export interface PartRow extends LogRow {
  readonly part: number;
  readonly parts: number;
}

/**
 * Reads the rows after a position, whole and in order. An empty result means that there are none yet, or that they
 * were trimmed: `Head.keptFrom` says which. If the first row is not at the next position, rows before it were
 * trimmed.
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
  // A row larger than one read: its parts are fetched until it is whole.
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

/** Joins parts to whole rows. An incomplete last row is left for the next read. */
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
