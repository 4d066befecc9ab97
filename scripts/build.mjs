// npm run build: src to dist/src and to the bundle in dist/server that runs, docs to the pages in dist/docs and src/console
// to the web app in dist/console, both of which Burgee serves.
import './lib/choose-node.mjs';
import { assemble } from './lib/build.mjs';
import { compileSource } from './lib/compile.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';

await ensureInstalled();
process.exitCode = (await compileSource()) === 0 ? await assemble() : 1;
