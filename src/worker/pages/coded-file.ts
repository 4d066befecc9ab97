import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { acceptedCoding, type Coding } from '../../http/content-coding.ts';
import type { RequestView } from '../../http/request-view.ts';
import { readSharedFile } from '../../support/shared-bytes.ts';

/** A file in memory, uncompressed and in each coding that the build made. */
export interface CodedFile {
  readonly body: Uint8Array;
  /** By content coding, the best first. */
  readonly compressed: readonly { readonly coding: Coding; readonly body: Uint8Array }[];
  /** A strong validator, in quotes as in the header. */
  readonly etag: string;
}

const extensions = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export function readCodedFile(path: string): CodedFile {
  const body = readSharedFile(path);
  const compressed = extensions.flatMap(([coding, extension]) =>
    existsSync(`${path}${extension}`) ? [{ coding, body: readSharedFile(`${path}${extension}`) }] : [],
  );
  // The best coding is hashed: it changes with the body, and is several times shorter.
  const digest = createHash('sha256')
    .update(compressed[0]?.body ?? body)
    .digest('base64url')
    .slice(0, 27);
  return { body, compressed, etag: `"${digest}"` };
}

/** Bytes of a file in memory, in all its codings. */
export function codedBytes({ body, compressed }: CodedFile): number {
  return compressed.reduce((sum, { body: coded }) => sum + coded.length, body.length);
}

/** @returns the body that the client accepts, and its coding; null: not compressed */
export function acceptedBody(
  { body, compressed }: CodedFile,
  request: RequestView,
): { readonly coding: Coding | null; readonly body: Uint8Array } {
  const offered = compressed.map(({ coding }) => coding);
  const accepted = acceptedCoding(request.header('accept-encoding'), offered);
  return compressed.find(({ coding }) => coding === accepted) ?? { coding: null, body };
}
