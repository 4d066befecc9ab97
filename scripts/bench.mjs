// npm run bench: installs and builds what is missing, then lists or runs the scenarios of the bench suite.
//
//   npm run bench -- evaluate-flag --rounds 9
//   npm run bench -- --page              only writes docs/benchmarks.md and its pages
import './lib/choose-node.mjs';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileAll } from './lib/compile.mjs';
import { ensureBuilt } from './lib/ensure-built.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';

const program = join(root, 'dist', 'bench', 'main.js');
// The list is shown at once where an earlier run has compiled it.
if (process.argv.length > 2 || !existsSync(program)) {
  await ensureInstalled();
  await ensureBuilt();
  if ((await compileAll()) !== 0) process.exit(1);
}
// In this process, so that Ctrl-C reaches the code that stops the servers.
await import(pathToFileURL(program).href);
