// npm run screenshots: installs and builds what is missing, and takes a picture of every screen of the console.
//
//   npm run screenshots                 all of them, into docs/screenshots
//   npm run screenshots -- flag tokens  those whose name contains one of the words
import './lib/require-node.mjs';
import { join } from 'node:path';
import { ensureBuilt } from './lib/ensure-built.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';
import { runNode, runTool } from './lib/run.mjs';

await ensureInstalled();
await ensureBuilt();
await runTool('tsc', ['-p', 'tsconfig.json']);
const program = join(root, 'dist', 'test', 'browser', 'take-screenshots.js');
const code = await runNode(['--enable-source-maps', program, ...process.argv.slice(2)]);
process.exitCode = code ?? 1;
