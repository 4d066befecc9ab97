import { readdirSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { hasTag } from '../../domain/management/entity-tag.ts';
import type { Coding } from '../../http/content-coding.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type HeaderBlock, headerBlock } from '../../http/header-block.ts';
import type { RequestView } from '../../http/request-view.ts';
import type { SendFile } from '../answers/send-file.ts';
import { acceptedBody, type CodedFile, codedBytes, readCodedFile } from './coded-file.ts';

export interface DocsPage extends CodedFile {
  readonly contentType: string;
}

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.tgz', 'application/gzip'],
  ['.yml', 'text/plain; charset=utf-8'],
]);

const pagesMax = 1000;
const bytesMax = 32 * 1024 * 1024;

/** The built documentation by served path, in memory. The build decides which pages there are. */
export type DocsPages = ReadonlyMap<string, DocsPage>;

/** @param path undecoded, without the query: `/docs`, `/docs/limits`, `/docs/docs.css` */
export function findPage(pages: DocsPages, path: string): DocsPage | undefined {
  return pages.get(path);
}

/** `index.html` is the folder itself; other pages are served without their extension, other files with it. */
function servedPaths(file: string): readonly string[] {
  const path = `/docs/${file.split(sep).join('/')}`;
  if (path.endsWith('/index.html')) return [path.slice(0, -'/index.html'.length)];
  // Redirects people who guess the address. The link is relative, so it works from both places.
  if (path === '/docs/api.html') return ['/docs/api', '/docs/'];
  return [path.replace(/\.html$/, '')];
}

/**
 * Reads every page once, at start.
 * @param directory that `scripts/build-docs.mjs` made, normally `dist/docs`
 * @throws Error when it is missing, or too large for documentation
 */
export function loadDocsPages(directory: string): DocsPages {
  const pages = new Map<string, DocsPage>();
  let bytes = 0;
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const contentType = contentTypes.get(extname(entry.name));
    if (!entry.isFile() || contentType === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const page = { contentType, ...readCodedFile(file) };
    bytes += codedBytes(page);
    if (bytes > bytesMax) throw new Error(`${directory} holds more than ${bytesMax} bytes of documentation`);
    for (const path of servedPaths(relative(directory, file))) pages.set(path, page);
    if (pages.size > pagesMax) throw new Error(`${directory} holds more than ${pagesMax} pages`);
  }
  return pages;
}

/** The pages are static: no script may run, and nothing may be loaded from another origin. */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";
/**
 * The one page with a script, which sends requests to this service. Forms cannot be submitted, and an answer is shown
 * as text only (decision 0066).
 */
const scriptedPath = '/docs/openapi';
const scriptedPolicy = `${policy}; script-src 'self'; connect-src 'self'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

function pageHeaders(page: DocsPage, path: string, coding: Coding | null): HeaderBlock {
  return headerBlock([
    ['Content-Type', page.contentType],
    ['Cache-Control', 'no-cache'],
    ['ETag', page.etag],
    ['Vary', 'Accept-Encoding'],
    ...(coding === null ? [] : [['Content-Encoding', coding] as const]),
    ['Content-Security-Policy', path === scriptedPath ? scriptedPolicy : policy],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
  ]);
}

/** Serves the documentation from memory. @returns false when there is no such page */
export function readDocs(
  exchange: Exchange,
  request: RequestView,
  pages: DocsPages,
  sendFile: SendFile,
): boolean {
  const path = request.path();
  const page = findPage(pages, path);
  if (page === undefined) return false;
  const { coding, body } = acceptedBody(page, request);
  const headers = pageHeaders(page, path, coding);
  const isCurrent = hasTag(request.header('if-none-match'), page.etag);
  if (isCurrent) exchange.answer(304, headers, '');
  else sendFile(exchange, request, headers, body);
  return true;
}
