// npm run campaign: installs and builds what is missing, and tries one fault many times at random.
//
//   npm run campaign                                lists the campaigns; so does npm run campaign -- help
//   npm run campaign -- NAME [COUNT] [SEED] [CASE]  runs one; the seed repeats a run, the case one of its cases
import './lib/require-node.mjs';
import { join } from 'node:path';
import { ensureBuilt } from './lib/ensure-built.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';
import { runNode, runTool } from './lib/run.mjs';

await ensureInstalled();
await ensureBuilt();
await runTool('tsc', ['-p', 'tsconfig.json']);
const program = join(root, 'dist', 'test', 'campaigns', 'main.js');
const code = await runNode(['--enable-source-maps', program, ...process.argv.slice(2)]);
process.exitCode = code ?? 1;
