// npm run bench: builds everything and runs the load tests and micro benchmarks, one after another.
//
//   npm run bench -- evaluate-flag      only those whose path contains one of these
import './lib/require-node.mjs';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './lib/ensure-built.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';
import { runNode, runTool } from './lib/run.mjs';

await ensureInstalled();
await ensureBuilt();
await runTool('tsc', ['-p', 'tsconfig.json']);

const wanted = process.argv.slice(2);
const folder = join(root, 'dist', 'bench');
const files = readdirSync(folder, { recursive: true })
  .filter((path) => /\.(bench|load)\.js$/.test(path))
  .filter((path) => wanted.length === 0 || wanted.some((part) => path.includes(part)));
for (const file of files.sort()) {
  console.log(`# ${file}`);
  const code = await runNode([join(folder, file)]);
  if (code !== 0) process.exitCode = 1;
}
if (files.length === 0) {
  console.error('No benchmark has such a name.');
  process.exitCode = 1;
}
