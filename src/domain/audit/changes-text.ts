import { type ArrayElement, arrayElements } from './array-elements.ts';
import type { AuditChange } from './audit-entry.ts';

/**
 * An entry's changes as the store keeps them: JSON as `JSON.stringify` writes it, `[[field, before, after], …]`. Values
 * are whatever JSON can show; JSON text keeps every key of them, `__proto__` included.
 */
export function changesToText(changes: readonly AuditChange[]): string {
  return JSON.stringify(changes.map(({ field, before, after }) => [field, before, after]));
}

export function changesFromText(text: string): AuditChange[] {
  const rows = JSON.parse(text) as [field: string, before: unknown, after: unknown][];
  return rows.map(([field, before, after]) => ({ field, before, after }));
}

/** Where a change's parts stand in the text. */
export interface ChangeSpans {
  readonly field: ArrayElement;
  readonly before: ArrayElement;
  readonly after: ArrayElement;
}

/** The changes of a text, one after another. A null is a pause in which others are served. */
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
  yield '}';
}

/** No piece ends within a pair of surrogates. */
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
  const [field, before, after] = parts;
  if (field === undefined || before === undefined || after === undefined) {
    throw new Error('A change in the audit log lacks a part');
  }
  yield { field, before, after };
}
