import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import type { CodedFile } from '../../../src/worker/pages/coded-file.ts';
import { loadDocsPages } from '../../../src/worker/pages/docs-pages.ts';
import { readPackedPages, writePackedPages } from '../../../src/worker/pages/packed-pages.ts';
import { loadWebApp } from '../../../src/worker/pages/web-app.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const dist = join(repositoryRoot(), 'dist');

/** Files with a hash for each body, which is quicker to compare. */
function hashed(files: ReadonlyMap<string, CodedFile> | undefined): readonly unknown[] {
  const hash = (body: Uint8Array): string => createHash('sha256').update(body).digest('hex');
  return [...(files ?? [])].map(([path, { body, compressed, ...rest }]) => [
    path,
    { ...rest, body: hash(body), compressed: compressed.map(({ coding, body }) => [coding, hash(body)]) },
  ]);
}

t.test('what a server reads at its start is what the build made, to the byte', async (t) => {
  const { docs, webApp } = readPackedPages(join(dist, 'pages.pack'));
  t.ok(docs.size > 20);
  t.strictSame(hashed(docs), hashed(loadDocsPages(join(dist, 'docs'))));
  const built = loadWebApp(join(dist, 'console'));
  t.equal(webApp?.index, built?.index);
  t.strictSame(hashed(webApp?.files), hashed(built?.files));
  const [first] = docs.values();
  t.type(first?.body.buffer, SharedArrayBuffer, 'sent to a thread without a copy');
  const buffers = new Set(
    [...docs.values(), ...(webApp?.files.values() ?? [])].map(({ body }) => body.buffer),
  );
  t.equal(buffers.size, 1);
});

t.test('a page is packed in all its codings, and a web app may be missing', async (t) => {
  const folder = temporaryDirectory(t);
  mkdirSync(join(folder, 'docs'));
  const page = '<h1>Only here: ü</h1>';
  writeFileSync(join(folder, 'docs', 'api.html'), page);
  writeFileSync(join(folder, 'docs', 'api.html.gz'), gzipSync(page));
  const pages = { docs: loadDocsPages(join(folder, 'docs')), webApp: loadWebApp(join(folder, 'console')) };
  t.strictSame([...pages.docs.keys()], ['/docs/api']);
  const file = join(folder, 'pages.pack');
  writePackedPages(file, pages);
  t.strictSame(readPackedPages(file), pages);
  t.equal(readFileSync(file, 'utf8').split('Only here').length, 2);
});

t.test('a file that is missing or cut is an error', async (t) => {
  const file = join(temporaryDirectory(t), 'pages.pack');
  t.throws(() => readPackedPages(file), { code: 'ENOENT' });
  writePackedPages(file, readPackedPages(join(dist, 'pages.pack')));
  truncateSync(file, readFileSync(file).length - 1);
  t.throws(() => readPackedPages(file), { message: 'is cut: build again' });
});
