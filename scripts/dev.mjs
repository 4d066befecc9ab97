// npm run dev: compiles as you save, and starts the server anew with what was compiled.
import './lib/require-node.mjs';
import { join } from 'node:path';
import { ensureBuilt } from './lib/ensure-built.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';
import { runNode, runTool } from './lib/run.mjs';

await ensureInstalled();
await ensureBuilt();
const compiling = runTool('tsc', ['-p', 'tsconfig.build.json', '--watch', '--preserveWatchOutput']);
const serving = runNode([
  `--watch-path=${join(root, 'dist', 'src')}`,
  '--watch-preserve-output',
  join(root, 'dist', 'src', 'main.js'),
  'serve',
  ...process.argv.slice(2),
]);
await Promise.all([compiling, serving]);
