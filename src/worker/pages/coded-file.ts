import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { hasTag } from '../../domain/management/entity-tag.ts';
import { acceptedCoding, type Coding } from '../../http/content-coding.ts';
import type { Exchange } from '../../http/exchange.ts';
import { headerBlock } from '../../http/header-block.ts';
import type { RequestView } from '../../http/request-view.ts';
import { readSharedFile } from '../../support/shared-bytes.ts';
import type { SendFile } from '../answers/send-file.ts';

/** A file in memory, uncompressed and in each coding that the build made. */
export interface CodedFile {
  readonly contentType: string;
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

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.webmanifest', 'application/manifest+json'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
  ['.tgz', 'application/gzip'],
  ['.yml', 'text/plain; charset=utf-8'],
]);
const filesMax = 1000;
const bytesMax = 64 * 1024 * 1024;

function readCodedFile(path: string, contentType: string): CodedFile {
  const body = readSharedFile(path);
  const compressed = extensions.flatMap(([coding, extension]) =>
    existsSync(`${path}${extension}`) ? [{ coding, body: readSharedFile(`${path}${extension}`) }] : [],
  );
  // The best coding is hashed: it changes with the body, and is several times shorter.
  const digest = createHash('sha256')
    .update(compressed[0]?.body ?? body)
    .digest('base64url')
    .slice(0, 27);
  return { contentType, body, compressed, etag: `"${digest}"` };
}

/**
 * Reads the files of a folder that the build made, by their path below it, with slashes.
 * @throws Error when the folder is missing, or larger than what we build
 */
export function readCodedFiles(directory: string): ReadonlyMap<string, CodedFile> {
  const files = new Map<string, CodedFile>();
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const contentType = contentTypes.get(extname(entry.name));
    if (!entry.isFile() || contentType === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const file = readCodedFile(path, contentType);
    bytes += file.compressed.reduce((sum, { body }) => sum + body.length, file.body.length);
    files.set(relative(directory, path).split(sep).join('/'), file);
    if (files.size > filesMax || bytes > bytesMax) throw new Error(`${directory} is larger than our pages`);
  }
  return files;
}

/** Answers with a file in the best coding that the client accepts, or with 304 if the client has it. */
export function answerFile(
  exchange: Exchange,
  request: RequestView,
  file: CodedFile,
  headers: readonly (readonly [string, string])[],
  sendFile: SendFile,
): void {
  const offered = file.compressed.map(({ coding }) => coding);
  const accepted = acceptedCoding(request.header('accept-encoding'), offered);
  const coded = file.compressed.find(({ coding }) => coding === accepted);
  const block = headerBlock([
    ['Content-Type', file.contentType],
    ['ETag', file.etag],
    ['Vary', 'Accept-Encoding'],
    ...(coded === undefined ? [] : [['Content-Encoding', coded.coding] as const]),
    ...headers,
  ]);
  if (hasTag(request.header('if-none-match'), file.etag)) exchange.answer(304, block, '');
  else sendFile(exchange, request, block, coded?.body ?? file.body);
}
