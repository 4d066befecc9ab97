import { type ArrayElement, arrayElements } from './array-elements.ts';
import type { AuditChange, RecordedChange } from './audit-entry.ts';
import { isLongList, listDifference, type WholeList, type WholeLists } from './list-difference.ts';
import { ruleDifferences } from './rule-difference.ts';

type Row = readonly [field: string, before: unknown, after: unknown, whole?: WholeLists];

/**
 * An entry's changes as the store keeps them: JSON as `JSON.stringify` writes it, `[[field, before, after], …]`. Values
 * are any JSON values; JSON text keeps all their keys, `__proto__` included.
 *
 * When one of two lists is long, `before` has the removed items, `after` the added ones, and a fourth part describes
 * the whole lists: so a list of a megabyte that gains an item costs that item. Entries of earlier versions have such
 * lists whole, and no fourth part.
 *
 * @param sha256 of a text as UTF-8, hexadecimal
 */
export function changesToText(changes: readonly AuditChange[], sha256: (text: string) => string): string {
  const rows = changes.map(({ field, before, after }) => rowOf(field, before, after, sha256));
  return `[${rows.join(',')}]`;
}

function rowOf(field: string, before: unknown, after: unknown, sha256: (text: string) => string): string {
  const [was, is] = [jsonOf(before), jsonOf(after)];
  const isLong =
    Array.isArray(before) && Array.isArray(after) && (isLongJson(before, was) || isLongJson(after, is));
  if (!isLong) return `[${JSON.stringify(field)},${was},${is}]`;
  const wholeOf = (list: readonly unknown[], text = jsonOf(list)): WholeList => ({
    count: list.length,
    sha256: sha256(text),
  });
  const { removed, added } = ruleDifferences(listDifference<unknown>(before, after, itemKey), wholeOf);
  const row: Row = [field, removed, added, { before: wholeOf(before, was), after: wholeOf(after, is) }];
  return JSON.stringify(row);
}

/** As JSON.stringify writes it within a list. */
function jsonOf(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

function isLongJson(list: readonly unknown[], text: string): boolean {
  return isLongList(list.length, text.length);
}

/** Either all items of the list are texts, or none is. */
function itemKey(item: unknown): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

export function changesFromText(text: string): RecordedChange[] {
  const rows = JSON.parse(text) as Row[];
  return rows.map(([field, before, after, whole]) => ({
    ...{ field, before, after },
    ...(whole === undefined ? {} : { whole }),
  }));
}

/** The offsets of a change's parts in the text. */
export interface ChangeSpans {
  readonly field: ArrayElement;
  readonly before: ArrayElement;
  readonly after: ArrayElement;
  /** Null when `before` and `after` are the values themselves. */
  readonly whole: ArrayElement | null;
}

/** The changes of a text, one after another. A null is a pause in which other requests are served. */
export function* changeSpans(text: string): Generator<ChangeSpans | null> {
  for (const row of arrayElements(text, 0)) {
    if (row === null) yield null;
    else yield* spansOf(text, row);
  }
}

const wholeCharsMax = 16 * 1024;

/** The changes as the JSON of a list of `{field, before, after}`, in pieces of bounded length. */
export function* changesAsJson(text: string): Generator<string> {
  if (text.length <= wholeCharsMax) {
    yield JSON.stringify(changesFromText(text));
    return;
  }
  let opening = '[';
  for (const spans of changeSpans(text)) {
    if (spans === null) yield '';
    else {
      yield* changePieces(text, spans, opening);
      opening = ',';
    }
  }
  yield ']';
}

function* changePieces(text: string, spans: ChangeSpans, opening: string): Generator<string> {
  yield `${opening}{"field":`;
  yield* piecesOf(text, spans.field);
  yield ',"before":';
  yield* piecesOf(text, spans.before);
  yield ',"after":';
  yield* piecesOf(text, spans.after);
  yield spans.whole === null ? '}' : `,"whole":${text.slice(spans.whole.start, spans.whole.end)}}`;
}

/** A piece never ends within a surrogate pair. */
function* piecesOf(text: string, { start, end }: ArrayElement): Generator<string> {
  for (let from = start; from < end; ) {
    const to = Math.min(from + wholeCharsMax, end);
    const cut = to < end && isHighSurrogate(text.charCodeAt(to - 1)) ? to - 1 : to;
    yield text.slice(from, cut);
    from = cut;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function* spansOf(text: string, row: ArrayElement): Generator<ChangeSpans | null> {
  const parts: ArrayElement[] = [];
  for (const part of arrayElements(text, row.start)) {
    if (part === null) yield null;
    else parts.push(part);
  }
  const [field, before, after, whole = null] = parts;
  if (field === undefined || before === undefined || after === undefined) {
    throw new Error('A change in the audit log lacks a part');
  }
  yield { field, before, after, whole };
}
