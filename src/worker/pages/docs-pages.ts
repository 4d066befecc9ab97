import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import type { SendFile } from '../answers/send-file.ts';
import { answerFile, type CodedFile, readCodedFiles } from './coded-file.ts';

/** The built documentation in memory, by served path: `/docs`, `/docs/limits`, `/docs/docs.css`. */
export type DocsPages = ReadonlyMap<string, CodedFile>;

/** `index.html` is the folder itself; other pages are served without their extension, other files with it. */
function servedPath(file: string): string {
  return `/docs/${file}`.replace(/(\/index)?\.html$/, '');
}

/**
 * @param directory that `scripts/build-docs.mjs` made, normally `dist/docs`
 * @throws Error when it is missing, or too large for documentation
 */
export function loadDocsPages(directory: string): DocsPages {
  return new Map([...readCodedFiles(directory)].map(([name, file]) => [servedPath(name), file]));
}

/** A page runs scripts of this origin, from files only, loads nothing from elsewhere, and sets text as text only. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
/** The one page that sends requests, to this service (decision 0066). */
const requestingPath = '/docs/openapi';
const requestingPolicy = `${policy}; connect-src 'self'`;

/** Serves the documentation from memory. @returns false when there is no such page */
export function readDocs(
  exchange: Exchange,
  request: RequestView,
  pages: DocsPages,
  sendFile: SendFile,
): boolean {
  const path = request.path();
  const page = pages.get(path);
  if (page === undefined) return false;
  const headers = [
    ['Cache-Control', 'no-cache'],
    ['Content-Security-Policy', path === requestingPath ? requestingPolicy : policy],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
  ] as const;
  answerFile(exchange, request, page, headers, sendFile);
  return true;
}
