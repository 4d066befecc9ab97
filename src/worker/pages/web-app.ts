import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '../../http/exchange.ts';
import { headerBlock } from '../../http/header-block.ts';
import type { RequestView } from '../../http/request-view.ts';
import type { SendFile } from '../answers/send-file.ts';
import { answerFile, type CodedFile, readCodedFiles } from './coded-file.ts';

/** The built web app in memory. */
export interface WebApp {
  /** The one page, with `noncePlace` where an answer puts its nonce, and `basePlace` for the service's path. */
  readonly index: string;
  /** By served path. */
  readonly files: ReadonlyMap<string, CodedFile>;
}

export const noncePlace = '__NONCE__';
const basePlace = '__BASE__';
const served = '/console';
const page = 'index.html';

/**
 * Reads the web app once, at start.
 * @param directory that `scripts/build-console.mjs` made, normally `dist/console`
 * @returns null when there is none: the console then says how to build it
 * @throws Error when it is too large for a web app
 */
export function loadWebApp(directory: string): WebApp | null {
  const index = join(directory, page);
  if (!existsSync(index)) return null;
  const files = [...readCodedFiles(directory)].filter(([name]) => name !== page);
  return {
    index: readFileSync(index, 'utf8'),
    files: new Map(files.map(([name, file]) => [`${served}/${name}`, file])),
  };
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
    else answerFile(exchange, request, file, [['Cache-Control', cacheControlOf(path)], ...guards], sendFile);
  }
}

function answerText(exchange: Exchange, status: number, text: string): void {
  const headers = [['Content-Type', 'text/plain; charset=utf-8'], ['Cache-Control', 'no-store'], ...guards];
  exchange.answer(status, headerBlock(headers as (readonly [string, string])[]), text);
}

/** The name of an asset contains a hash of its content. */
function cacheControlOf(path: string): string {
  return path.startsWith(`${served}/assets/`) ? 'public, max-age=31536000, immutable' : 'no-cache';
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
