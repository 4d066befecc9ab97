import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { hasTag } from '../../domain/management/entity-tag.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type HeaderBlock, headerBlock } from '../../http/header-block.ts';
import type { RequestView } from '../../http/request-view.ts';
import type { SendFile } from '../answers/send-file.ts';
import { acceptedBody, type CodedFile, codedBytes, readCodedFile } from './coded-file.ts';

/** A file of the web app. */
export interface WebAppFile extends CodedFile {
  readonly contentType: string;
  /** Its name contains a hash of its content. */
  readonly isImmutable: boolean;
}

/** The built web app in memory. */
export interface WebApp {
  /** The one page, with `noncePlace` where an answer puts its nonce, and `basePlace` for the service's path. */
  readonly index: string;
  /** By served path. */
  readonly files: ReadonlyMap<string, WebAppFile>;
}

export const noncePlace = '__NONCE__';
const basePlace = '__BASE__';
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
const filesMax = 1000;
const bytesMax = 64 * 1024 * 1024;

/**
 * Reads the web app once, at start.
 * @param directory that `scripts/build-console.mjs` made, normally `dist/console`
 * @returns null when there is none: the console then says how to build it
 * @throws Error when it is too large for a web app
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
    const file = { contentType, isImmutable: name.startsWith('assets/'), ...readCodedFile(path) };
    bytes += codedBytes(file);
    files.set(`${served}/${name}`, file);
    if (files.size > filesMax || bytes > bytesMax) throw new Error(`${directory} is larger than a web app`);
  }
  return { index: readFileSync(index, 'utf8'), files };
}

/** @returns the web app as it is served below a path, which a proxy takes off */
export function placeWebApp(webApp: WebApp, basePath: string): WebApp {
  return { ...webApp, index: webApp.index.replaceAll(basePlace, basePath) };
}

const nonceBytes = 18;
const notBuilt =
  'The console is not built. Run `npm run build` in the checkout that this server runs from, and start it again.\n';
const notThere = 'There is nothing at this address of the console.\n';

/** Security headers of every answer of the web app: no other site may frame, open or embed it, or learn its address. */
const guards = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
] as const;

/** Serves the web app: a file under its own path, and the one page for every path without an extension. */
export function readWebApp(
  exchange: Exchange,
  request: RequestView,
  webApp: WebApp | null,
  sendFile: SendFile,
): void {
  const method = request.method();
  const path = request.path();
  if (method !== 'get' && method !== 'head') answerText(exchange, 404, notThere);
  else if (webApp === null) answerText(exchange, 404, notBuilt);
  else if (!/\.[^/]*$/.test(path)) answerIndex(exchange, webApp.index);
  else {
    const file = webApp.files.get(path);
    if (file === undefined) answerText(exchange, 404, notThere);
    else answerFile(exchange, request, file, sendFile);
  }
}

function answerText(exchange: Exchange, status: number, text: string): void {
  const headers = [['Content-Type', 'text/plain; charset=utf-8'], ['Cache-Control', 'no-store'], ...guards];
  exchange.answer(status, headerBlock(headers as (readonly [string, string])[]), text);
}

/** Each answer has a nonce of its own. */
function answerIndex(exchange: Exchange, index: string): void {
  const nonce = randomBytes(nonceBytes).toString('base64url');
  const headers = headerBlock([
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Cache-Control', 'no-store'],
    ['Content-Security-Policy', contentSecurityPolicy(nonce)],
    ...guards,
  ]);
  exchange.answer(200, headers, index.replaceAll(noncePlace, nonce));
}

/**
 * A script or style needs the nonce of its page, or must be loaded by a script that has it. Being on this origin is not
 * enough.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function answerFile(exchange: Exchange, request: RequestView, file: WebAppFile, sendFile: SendFile): void {
  const { coding, body } = acceptedBody(file, request);
  const headers = fileHeaders(file, coding);
  if (hasTag(request.header('if-none-match'), file.etag)) exchange.answer(304, headers, '');
  else sendFile(exchange, request, headers, body);
}

function fileHeaders({ contentType, etag, isImmutable }: WebAppFile, coding: string | null): HeaderBlock {
  return headerBlock([
    ['Content-Type', contentType],
    ['Cache-Control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'],
    ['ETag', etag],
    ['Vary', 'Accept-Encoding'],
    ...(coding === null ? [] : [['Content-Encoding', coding] as const]),
    ...guards,
  ]);
}
