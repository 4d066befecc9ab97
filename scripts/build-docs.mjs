// Renders docs/**.md to the pages that Burgee serves under /docs, and the OpenAPI document.
//
//   node scripts/build-docs.mjs
//       dist/docs from docs; docs/openapi.json too, from the contracts in dist/src
//   node scripts/build-docs.mjs --source DIR --target DIR
//       any folder of Markdown; the OpenAPI document of a folder that has one is shown on its page, openapi.md
//
// The menu is the list in docs/site.mjs. A page that is in no group, a broken link, a duplicate id or raw HTML fails the build: every problem is printed, nothing is written.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { referencePage, renderReference } from './docs/api-reference.mjs';
import { buildSite, groups } from './docs/site.mjs';

const root = dirname(import.meta.dirname);
const ownSource = join(root, 'docs');
const builtByUs = 'docs.css';

const isCompressible = /[.](html|css|js|json|svg|yml)$/;
/** The levels above take ten times as long: this is part of every build. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };

/** Replaces only an empty folder or the output of an earlier build. */
function replaceFolder(target, files) {
  const isForeign = existsSync(target) && !existsSync(join(target, builtByUs));
  if (isForeign && readdirSync(target).length > 0) {
    throw new Error(`${target} exists and is not a documentation build: give another --target.`);
  }
  rmSync(target, { recursive: true, force: true });
  for (const [path, body] of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), body);
    if (!isCompressible.test(path)) continue;
    const bytes = Buffer.from(body);
    writeFileSync(join(target, `${path}.br`), brotliCompressSync(bytes, { params }));
    writeFileSync(join(target, `${path}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

/** The OpenAPI document, from the compiled contracts. */
async function openApiText() {
  const compiled = join(root, 'dist/src/operations/openapi.js');
  if (!existsSync(compiled)) throw new Error('dist/src is missing: compile first (npm run build).');
  const { openApiDocument } = await import(pathToFileURL(compiled).href);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}

/** Files outside docs that pages may link to. They are served with the pages. */
const published = ['../test/bucketing-vectors.json'];

function publishedFiles(source) {
  const present = published.filter((link) => existsSync(join(source, link)));
  return new Map(
    present.map((link) => [link, { path: basename(link), body: readFileSync(join(source, link)) }]),
  );
}

/** Kept in the repository, so that a change of the contract shows in its diff. */
async function writeOpenApi() {
  const path = join(ownSource, 'openapi.json');
  const text = await openApiText();
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

/** The script of the API's page. */
async function pageScript() {
  const bundle = await rolldown({ input: join(root, 'src/api-page/main.ts'), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  if (output.length !== 1) throw new Error("The script of the API's page is one file.");
  return output[0].code;
}

/** What the API's page shows of the OpenAPI document; null: there is no such page. */
async function apiReference(source) {
  const [document, page] = ['openapi.json', referencePage].map((name) => join(source, name));
  if (!existsSync(document) || !existsSync(page)) return null;
  const reference = renderReference(JSON.parse(readFileSync(document, 'utf8')));
  return { ...reference, script: await pageScript() };
}

async function main() {
  const { values } = parseArgs({
    options: {
      source: { type: 'string', default: ownSource },
      target: { type: 'string', default: join(root, 'dist/docs') },
    },
  });
  if (values.source === ownSource) await writeOpenApi();
  const { files, problems } = buildSite(values.source, {
    menu: values.source === ownSource ? groups : null,
    extras: publishedFiles(values.source),
    reference: await apiReference(values.source),
  });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) throw new Error(`The documentation has ${problems.length} problem(s).`);
  replaceFolder(values.target, files);
}

try {
  await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
