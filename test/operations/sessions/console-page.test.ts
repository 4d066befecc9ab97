import t from 'tap';
import { consolePage } from '../../../src/operations/sessions/open-id/console-page.ts';

t.test('only pages of the console can be returned to', async (t) => {
  const pages = ['/console/', '/console/projects/x/flags?q=a%20b#top', '/console/link'];
  for (const page of pages) t.equal(consolePage(page, ''), page);
  const elsewhere = [
    undefined,
    '',
    'projects',
    '/',
    '/consolex/',
    '/console',
    '/docs',
    '//evil.example/console/',
    '\\\\evil.example/console/',
    '/\\evil.example/console/',
    'http://evil.example/console/',
    'http:evil.example',
    'javascript:alert(1)',
    '/console/../v1/',
    '/console/%2e%2e/v1/',
    '/console/api/openid/callback?state=x',
    '/console/./api/session',
  ];
  for (const wanted of elsewhere) t.equal(consolePage(wanted, ''), '/console/', wanted ?? 'none');
  t.equal(consolePage('/burgee/console/members', '/burgee'), '/burgee/console/members');
  for (const wanted of [...pages, ...elsewhere, '/burgee/console/api/session', '/burgeex/console/'])
    t.equal(consolePage(wanted, '/burgee'), '/burgee/console/', `below a path: ${wanted}`);
});

t.test('the page to return to is valid in a header', async (t) => {
  t.equal(consolePage('/console/a\r\nSet-Cookie: x=y', ''), '/console/aSet-Cookie:%20x=y');
  t.match(consolePage('/console/ä?q=ö#ü', ''), /^[\x21-\x7e]+$/);
});
