import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { readSharedFile } from '../../support/shared-bytes.ts';

/** A file of the web app, whole and as its build has compressed it. */
export interface WebAppFile {
  readonly contentType: string;
  readonly body: Uint8Array;
  /** By content coding, the best first. */
  readonly compressed: readonly { readonly coding: 'br' | 'gzip'; readonly body: Uint8Array }[];
  /** A strong validator, quoted, as the header has it. */
  readonly etag: string;
  /** Its name has a hash of what it holds. */
  readonly isImmutable: boolean;
}

/** The built web app in memory. */
export interface WebApp {
  /** The one page, with `noncePlace` wherever the nonce of an answer goes. */
  readonly index: string;
  /** By served path. */
  readonly files: ReadonlyMap<string, WebAppFile>;
}

export const noncePlace = '__NONCE__';
const served = '/console';
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.ico', 'image/x-icon'],
  ['.woff2', 'font/woff2'],
  ['.webmanifest', 'application/manifest+json'],
]);
const codings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
const filesMax = 1000;
const bytesMax = 64 * 1024 * 1024;

/**
 * Reads the web app once, at start.
 * @param directory that `scripts/build-console.mjs` made, normally `dist/console`
 * @returns null when there is none: the console then says how to build it
 * @throws Error when it is larger than a web app is
 */
export function loadWebApp(directory: string): WebApp | null {
  const index = join(directory, 'index.html');
  if (!existsSync(index)) return null;
  const files = new Map<string, WebAppFile>();
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const contentType = contentTypes.get(extname(entry.name));
    if (!entry.isFile() || contentType === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const name = relative(directory, path).split(sep).join('/');
    const file = readFile(path, contentType, name.startsWith('assets/'));
    bytes += file.compressed.reduce((sum, { body }) => sum + body.length, file.body.length);
    files.set(`${served}/${name}`, file);
    if (files.size > filesMax || bytes > bytesMax) throw new Error(`${directory} is larger than a web app`);
  }
  return { index: readFileSync(index, 'utf8'), files };
}

function readFile(path: string, contentType: string, isImmutable: boolean): WebAppFile {
  const body = readSharedFile(path);
  const compressed = codings.flatMap(([coding, extension]) =>
    existsSync(`${path}${extension}`) ? [{ coding, body: readSharedFile(`${path}${extension}`) }] : [],
  );
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 27);
  return { contentType, body, compressed, etag: `"${digest}"`, isImmutable };
}
