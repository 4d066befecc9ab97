import type { Readable } from 'node:stream';

/** Characters kept from the end of a program's standard error, which are shown only if it fails. */
const charsMax = 4000;

/**
 * Reads a stream to its end, so that a full pipe never blocks its writer.
 *
 * @returns a function that gives the end of the text
 */
export function keepEnd(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-charsMax);
  });
  return () => text;
}
