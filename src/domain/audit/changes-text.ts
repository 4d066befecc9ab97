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

/** @param json as `changesToText` writes it, as a text or as its UTF-8 */
export function changesFromText(json: string | Buffer): RecordedChange[] {
  const rows = JSON.parse(json.toString()) as Row[];
  return rows.map(([field, before, after, whole]) => ({
    ...{ field, before, after },
    ...(whole === undefined ? {} : { whole }),
  }));
}

/** The places of a change's parts in the text's UTF-8. */
export interface ChangeSpans {
  readonly field: ArrayElement;
  readonly before: ArrayElement;
  readonly after: ArrayElement;
  /** Null when `before` and `after` are the values themselves. */
  readonly whole: ArrayElement | null;
}

const openBracket = 0x5b;

/** The changes, one after another. A null is a pause in which other requests are served. */
export function* changeSpans(json: Buffer): Generator<ChangeSpans | null> {
  for (let at = 1; json[at] === openBracket; at += 1) {
    const parts: ArrayElement[] = [];
    at = yield* collect(arrayElements(json, at), parts);
    const [field, before, after, whole = null] = parts;
    if (field === undefined || before === undefined || after === undefined) {
      throw new Error('A change in the audit log lacks a part');
    }
    yield { field, before, after, whole };
  }
}

/** @returns the offset after the array */
function* collect(
  elements: Generator<ArrayElement | null, number>,
  into: ArrayElement[],
): Generator<null, number> {
  for (let step = elements.next(); ; step = elements.next()) {
    if (step.done === true) return step.value;
    if (step.value === null) yield null;
    else into.push(step.value);
  }
}

const wholeBytesMax = 16 * 1024;

/**
 * The changes as the JSON of a list of `{field, before, after}`, in pieces of bounded length. Long values are pieces of
 * `json` itself: a string of them would lie in V8's space for large objects, which only major collections empty.
 */
export function* changesAsJson(json: Buffer): Generator<string | Uint8Array> {
  if (json.length <= wholeBytesMax) {
    yield JSON.stringify(changesFromText(json));
    return;
  }
  let opening = '[';
  for (const spans of changeSpans(json)) {
    if (spans === null) yield '';
    else {
      yield* changePieces(json, spans, opening);
      opening = ',';
    }
  }
  yield ']';
}

function* changePieces(json: Buffer, spans: ChangeSpans, opening: string): Generator<string | Uint8Array> {
  yield `${opening}{"field":`;
  yield* piecesOf(json, spans.field);
  yield ',"before":';
  yield* piecesOf(json, spans.before);
  yield ',"after":';
  yield* piecesOf(json, spans.after);
  if (spans.whole !== null) {
    yield ',"whole":';
    yield* piecesOf(json, spans.whole);
  }
  yield '}';
}

function* piecesOf(json: Buffer, { start, end }: ArrayElement): Generator<Uint8Array> {
  for (let from = start; from < end; from += wholeBytesMax)
    yield json.subarray(from, Math.min(from + wholeBytesMax, end));
}
