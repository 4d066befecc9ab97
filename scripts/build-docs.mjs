// Renders docs/**.md to the pages that Burgee serves under /docs, and the OpenAPI document.
//
//   node scripts/build-docs.mjs
//       dist/docs from docs; docs/openapi.json too, from the contracts in dist/src
//   node scripts/build-docs.mjs --source DIR --target DIR
//       any folder of Markdown; the OpenAPI document of a folder that has one is shown on its page, openapi.md
//
// The menu is the list in scripts/docs/site.mjs. A page that is in no group, a broken link, a duplicate id or raw HTML fails the build: every problem is printed, nothing is written.
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

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** A module of the compiled source. */
async function compiled(path) {
  const file = join(root, 'dist/src', path);
  if (!existsSync(file)) throw new Error('dist/src is missing: compile first (npm run build).');
  return import(pathToFileURL(file).href);
}

/** The OpenAPI document, from the contracts. */
async function openApiText() {
  const { openApiDocument } = await compiled('operations/openapi.js');
  return `${JSON.stringify(openApiDocument(version), null, 2)}\n`;
}

/** The sections that error bodies link to. The console's own errors share one. */
async function errorSections() {
  const { problemTable } = await compiled('contracts/problem-table.js');
  const rows = Object.values(problemTable).filter(({ section }) => section !== 'console');
  const sections = rows.map(({ section, status, title }) => ({ id: section, title: `${status} ${title}` }));
  return [...sections, { id: 'console', title: 'Errors of the console' }];
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

/** One of the site's scripts, in one file. */
async function bundled(entry) {
  const bundle = await rolldown({ input: join(root, 'src', entry), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  if (output.length !== 1) throw new Error(`${entry} is bundled to more than one file.`);
  return output[0].code;
}

/** What the API's page shows of the OpenAPI document; null: there is no such page. */
async function apiReference(source) {
  const [document, page] = ['openapi.json', referencePage].map((name) => join(source, name));
  if (!existsSync(document) || !existsSync(page)) return null;
  const reference = renderReference(JSON.parse(readFileSync(document, 'utf8')));
  return { ...reference, script: await bundled('docs-page/openapi.ts') };
}

async function main() {
  const { values } = parseArgs({
    options: {
      source: { type: 'string', default: ownSource },
      target: { type: 'string', default: join(root, 'dist/docs') },
    },
  });
  const isOwn = values.source === ownSource;
  if (isOwn) await writeOpenApi();
  const { files, problems } = buildSite(values.source, {
    menu: isOwn ? groups : null,
    errors: isOwn ? await errorSections() : [],
    extras: publishedFiles(values.source),
    reference: await apiReference(values.source),
    script: await bundled('docs-page/site.ts'),
    version,
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
