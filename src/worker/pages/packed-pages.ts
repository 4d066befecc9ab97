import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Coding } from '../../http/content-coding.ts';
import { readSharedFile } from '../../support/shared-bytes.ts';
import type { CodedFile } from './coded-file.ts';
import type { DocsPages } from './docs-pages.ts';
import type { WebApp } from './web-app.ts';

/*
 * The documentation and the web app in one file, which the build makes and a start reads. Opening hundreds of files one
 * by one, and hashing each for its entity tag, took longer than anything else at the start of the main thread.
 *
 *   4 bytes     length of the index, least significant byte first
 *   index       JSON: the pages without their bodies
 *   bodies      one after another
 */
const headBytes = 4;

/** The documentation, and the web app if it is built. */
export interface Pages {
  readonly docs: DocsPages;
  readonly webApp: WebApp | null;
}

/** A body's first byte and its length. */
type Span = readonly [start: number, length: number];
interface PackedBody {
  readonly coding: Coding;
  readonly body: Span;
}
type Packed = readonly [
  path: string,
  file: Omit<CodedFile, 'body' | 'compressed'> & {
    readonly body: Span;
    readonly compressed: readonly PackedBody[];
  },
];
interface Index {
  readonly docs: readonly Packed[];
  readonly webApp: { readonly index: string; readonly files: readonly Packed[] } | null;
}

/** Packs what `loadDocsPages` and `loadWebApp` read. @param path of the file, which is replaced */
export function writePackedPages(path: string, { docs, webApp }: Pages): void {
  const bodies: Uint8Array[] = [];
  let end = 0;
  const place = (body: Uint8Array): Span => {
    bodies.push(body);
    end += body.length;
    return [end - body.length, body.length];
  };
  const pack = (files: ReadonlyMap<string, CodedFile>) =>
    [...files].map(
      ([address, file]): Packed => [
        address,
        {
          ...file,
          body: place(file.body),
          compressed: file.compressed.map(({ coding, body }) => ({ coding, body: place(body) })),
        },
      ],
    );
  const index: Index = {
    docs: pack(docs),
    webApp: webApp === null ? null : { index: webApp.index, files: pack(webApp.files) },
  };
  const text = Buffer.from(JSON.stringify(index));
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(text.length);
  const unfinished = `${path}.new`;
  const descriptor = openSync(unfinished, 'w');
  try {
    for (const piece of [head, text, ...bodies])
      if (writeSync(descriptor, piece) !== piece.length)
        throw new Error(`${path} could not be written whole`);
  } finally {
    closeSync(descriptor);
  }
  // A server that starts meanwhile reads the file before or this one, whole.
  renameSync(unfinished, path);
}

/**
 * Reads the packed pages at start. Their bodies share one piece of memory, which is sent to other threads without a copy.
 * @throws Error when the file is missing, or cut
 */
export function readPackedPages(path: string): Pages {
  const bytes = readSharedFile(path);
  const indexBytes = Buffer.from(bytes.buffer).readUInt32LE();
  const start = headBytes + indexBytes;
  const index = JSON.parse(Buffer.from(bytes.buffer, headBytes, indexBytes).toString()) as Index;
  const bodyOf = ([from, length]: Span): Uint8Array => {
    if (start + from + length > bytes.length) throw new Error(`${path} is cut: build again`);
    return bytes.subarray(start + from, start + from + length);
  };
  const unpack = (files: readonly Packed[]) =>
    new Map(
      files.map(([address, { body, compressed, ...rest }]) => [
        address,
        {
          ...rest,
          body: bodyOf(body),
          compressed: compressed.map(({ coding, body }) => ({ coding, body: bodyOf(body) })),
        },
      ]),
    );
  return {
    docs: unpack(index.docs),
    webApp: index.webApp === null ? null : { index: index.webApp.index, files: unpack(index.webApp.files) },
  };
}
