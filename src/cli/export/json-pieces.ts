/** Text of a JSON document, piece by piece, laid out so that two documents can be compared line by line. */
export type Pieces = Iterable<string>;

const step = '  ';

/** @param items each yields the pieces of its own value. */
export function* arrayPieces(items: Iterable<Pieces>, indent: string): Generator<string> {
  let isFirst = true;
  for (const item of items) {
    yield `${isFirst ? '[' : ','}\n${indent}${step}`;
    isFirst = false;
    yield* item;
  }
  yield isFirst ? '[]' : `\n${indent}]`;
}

/** @param fields at least one. */
export function* objectPieces(
  fields: Iterable<readonly [key: string, value: Pieces]>,
  indent: string,
): Generator<string> {
  let isFirst = true;
  for (const [key, value] of fields) {
    yield `${isFirst ? '{' : ','}\n${indent}${step}${JSON.stringify(key)}: `;
    isFirst = false;
    yield* value;
  }
  yield `\n${indent}}`;
}

/** A value on one line. */
export function linePieces(value: unknown): Pieces {
  return [JSON.stringify(value)];
}

export function deeper(indent: string): string {
  return indent + step;
}
