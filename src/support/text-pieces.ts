import type { Steps } from './steps.ts';

/** Text in pieces, which may be empty: others are served in between. One of bytes is valid until the next is asked for. */
export type TextPieces = Iterable<string | Uint8Array>;

/** Takes steps between which nothing is ready to be shown. @returns what they come to */
export function* pausing<T>(steps: Steps<T>): Generator<string, T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    yield '';
  }
}

/** @returns a text that is whole, or all of its pieces */
export function joinPieces(text: string | TextPieces): string {
  if (typeof text === 'string') return text;
  // Copied one by one: a piece of bytes is valid until the next.
  return Buffer.concat(Array.from(text, (piece) => Buffer.from(piece))).toString();
}

/** A long answer that cannot be made now: its client is told to retry, with the message, unless it has the beginning. */
export class CutAnswer extends Error {}
