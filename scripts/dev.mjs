// npm run dev: compiles on each save, and restarts the server with the result.
import './lib/choose-node.mjs';
import { join } from 'node:path';
import { ensureBuilt } from './lib/ensure-built.mjs';
import { ensureBuildInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';
import { runNode, runTool } from './lib/run.mjs';

await ensureBuildInstalled();
await ensureBuilt();
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort());
const options = { signal: stopping.signal };
const main = join(root, 'dist', 'src', 'main.js');
const watching = [`--watch-path=${join(root, 'dist', 'src')}`, '--watch-preserve-output'];
await Promise.allSettled([
  runTool('tsgo', ['-p', 'tsconfig.build.json', '--watch', '--preserveWatchOutput'], options),
  runNode([...watching, main, 'serve', ...process.argv.slice(2)], options),
]);
