import type { Readable } from 'node:stream';

/** What a program says on standard error is shown only when it fails: its last characters. */
const charsMax = 4000;

/** Reads a stream to its end, so that its writer is never stopped by a full pipe. @returns gives the last it said */
export function keepEnd(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-charsMax);
  });
  return () => text;
}
