import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { HttpRoute } from '../../../src/http/worker-server.ts';
import { loadWebApp, placeWebApp, readWebApp } from '../../../src/worker/pages/web-app.ts';
import { createHttpClient } from '../../support/http-client.ts';
import { serveRoutes } from '../../support/served-routes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const script = 'export const answer = 42;\n';

/** Serves a directory as a worker does, on a port of its own. */
async function serve(t: Test, directory: string) {
  const webApp = loadWebApp(directory);
  const handle: HttpRoute['handle'] = (exchange, request) =>
    readWebApp(exchange, request, webApp, (exchange, _request, headers, body) =>
      exchange.answer(200, headers, body),
    );
  const { port } = await serveRoutes(t, {
    routes: ['/console', '/console/*'].map((pattern) => ({ method: 'any', pattern, countedAs: 0, handle })),
  });
  return createHttpClient(t, { port });
}

function build(t: Test): string {
  const directory = join(temporaryDirectory(t), 'console');
  mkdirSync(join(directory, 'assets'), { recursive: true });
  writeFileSync(
    join(directory, 'index.html'),
    '<meta content="__NONCE__"><script nonce="__NONCE__"></script>',
  );
  const asset = join(directory, 'assets', 'index-abc123.js');
  writeFileSync(asset, script);
  writeFileSync(`${asset}.br`, brotliCompressSync(script));
  writeFileSync(`${asset}.gz`, gzipSync(script));
  writeFileSync(join(directory, 'assets', 'secret.map'), '{}');
  return directory;
}

t.test('below a path, the page names its files with that path', async (t) => {
  const webApp = { index: '<script src="__BASE__/console/a.js"></script>', files: new Map() };
  t.equal(placeWebApp(webApp, '/burgee').index, '<script src="/burgee/console/a.js"></script>');
  t.equal(placeWebApp(webApp, '').index, '<script src="/console/a.js"></script>');
});

t.test('every page of the console is the one page, with a nonce of its own', async (t) => {
  const client = await serve(t, build(t));
  const nonces = new Set<string>();
  for (const path of ['/console', '/console/', '/console/projects/abc/flags', '/console/link']) {
    const answer = await client.send({ path });
    t.equal(answer.status, 200, path);
    const policy = answer.headers.get('content-security-policy') ?? '';
    const nonce = /style-src 'nonce-([\w-]{24})';/.exec(policy)?.[1] ?? '';
    t.equal(answer.text, `<meta content="${nonce}"><script nonce="${nonce}"></script>`);
    t.match(policy, `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic';`);
    t.match(policy, /frame-ancestors 'none'/);
    t.notMatch(policy, /unsafe|https?:|\*/, 'nothing inline, nothing from another origin');
    t.equal(answer.headers.get('cache-control'), 'no-store');
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    t.equal(answer.headers.get('cross-origin-opener-policy'), 'same-origin');
    t.ok(answer.headers.has('permissions-policy'));
    t.equal(answer.headers.get('referrer-policy'), 'no-referrer');
    nonces.add(nonce);
  }
  t.equal(nonces.size, 4);
  const head = await client.send({ method: 'HEAD', path: '/console/' });
  t.equal(head.status, 200);
  t.equal(head.text, '');
});

t.test('assets are cached for ever, and compressed as the client accepts', async (t) => {
  const client = await serve(t, build(t));
  const path = '/console/assets/index-abc123.js';
  const ask = (encoding: string) => client.send({ path, headers: { 'accept-encoding': encoding } });
  const plain = await client.send({ path });
  t.equal(plain.text, script);
  t.equal(plain.headers.get('content-type'), 'text/javascript; charset=utf-8');
  t.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  t.equal(plain.headers.get('vary'), 'Accept-Encoding');
  const best = await ask('gzip, deflate, br, zstd');
  t.equal(best.headers.get('content-encoding'), 'br');
  t.equal(brotliDecompressSync(best.body).toString(), script);
  const gzip = await ask('gzip, br;q=0');
  t.equal(gzip.headers.get('content-encoding'), 'gzip');
  t.equal(gunzipSync(gzip.body).toString(), script);
  t.equal((await ask('identity')).headers.get('content-encoding'), undefined);
  const etag = plain.headers.get('etag') ?? '';
  const known = await client.send({ path, headers: { 'if-none-match': etag } });
  t.equal(known.status, 304);
  t.equal(known.text, '');
});

t.test('a missing file is 404, and so is another method', async (t) => {
  const client = await serve(t, build(t));
  const paths = ['assets/none.js', 'assets/secret.map', 'index.html', '..%2findex.html', 'assets/../x.js'];
  for (const path of paths) {
    const answer = await client.send({ path: `/console/${path}` });
    t.equal(answer.status, 404, path);
    t.match(answer.text, /nothing at this address/);
  }
  t.equal((await client.send({ method: 'POST', path: '/console/' })).status, 404);
});

t.test('without a build the console says how to make one', async (t) => {
  const client = await serve(t, join(temporaryDirectory(t), 'none'));
  const answer = await client.send({ path: '/console/' });
  t.equal(answer.status, 404);
  t.match(answer.text, /npm run build/);
});
