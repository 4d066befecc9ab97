import type { Exchange } from '../../http/exchange.ts';
import { type HeaderBlock, headerBlock } from '../../http/header-block.ts';
import type { RequestView } from '../../http/request-view.ts';
import type { GiveFile } from '../made-answer.ts';
import { type DocsPage, type DocsPages, findPage } from './docs-pages.ts';

/** The pages are static: nothing may run, and nothing may come from elsewhere. */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

function pageHeaders(page: DocsPage): HeaderBlock {
  return headerBlock([
    ['Content-Type', page.contentType],
    ['Cache-Control', 'no-cache'],
    ['ETag', page.etag],
    ['Content-Security-Policy', policy],
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
  ]);
}

/** Serves the documentation that was built into memory. @returns false when there is no such page */
export function readDocs(
  exchange: Exchange,
  request: RequestView,
  pages: DocsPages,
  giveFile: GiveFile,
): boolean {
  const page = findPage(pages, request.path());
  if (page === undefined) return false;
  const isCurrent = request.header('if-none-match').includes(page.etag);
  if (isCurrent) exchange.answer(304, pageHeaders(page), '');
  else giveFile(exchange, request, pageHeaders(page), page.body);
  return true;
}
