import type { Steps } from './steps.ts';

/**
 * Text in pieces, some of which may be empty: between pieces other requests are served. A piece of bytes is valid until
 * the next one is asked for.
 */
export type TextPieces = Iterable<string | Uint8Array>;

/** Runs steps, and yields an empty piece after each. @returns the result of the steps */
export function* pausing<T>(steps: Steps<T>): Generator<string, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield '';
  }
}

/** @returns a text that is whole, or all of its pieces joined */
export function joinPieces(text: string | TextPieces): string {
  if (typeof text === 'string') return text;
  // Copied one by one: a piece of bytes is valid until the next one is asked for.
  return Buffer.concat(Array.from(text, (piece) => Buffer.from(piece))).toString();
}

/** A long answer cannot be made now. Its client gets this message with a 503, unless the answer has begun. */
export class CutAnswer extends Error {}
