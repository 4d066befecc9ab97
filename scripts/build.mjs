// npm run build: compiles src to dist/src and bundles it to dist/server, which is what runs; makes dist/docs from docs
// and dist/console from src/console, and packs both into dist/pages.pack, which Burgee serves.
import './lib/choose-node.mjs';
import { assemble } from './lib/build.mjs';
import { compileSource } from './lib/compile.mjs';
import { ensureBuildInstalled } from './lib/ensure-installed.mjs';

await ensureBuildInstalled();
process.exitCode = (await compileSource()) === 0 ? await assemble() : 1;
