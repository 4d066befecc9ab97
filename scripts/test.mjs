// npm test: installs what is missing, runs every check and every test, and closes with one line: N passed, N failed.
//
//   npm test -- config cli      only the tests whose path contains one of these, and no checks
import './lib/choose-node.mjs';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { assemble } from './lib/build.mjs';
import { runChecks } from './lib/checks.mjs';
import { isBuilt } from './lib/ensure-built.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';
import { runTool } from './lib/run.mjs';
import { runTests } from './lib/run-tests.mjs';

/** Compiles src, test and bench anew, so that no test runs against what is no longer there. @returns tsc's exit code */
function compileAll() {
  // What is compiled here is not what the build's own notes tell of.
  for (const stale of ['test', 'bench', '.tsbuildinfo', '.tsbuildinfo-src']) {
    rmSync(join(root, 'dist', stale), { recursive: true, force: true });
  }
  return runTool('tsc', ['-p', 'tsconfig.json']);
}

async function checkAll(compiled) {
  const { passed, failed } = await runChecks(() => compiled);
  for (const name of failed) console.error(`not ok: ${name}`);
  return { passed, failed: failed.length, skipped: 0 };
}

const wanted = process.argv.slice(2);
await ensureInstalled();
const isBuildNeeded = !isBuilt();
const compiled = compileAll();
// What is compiled for the tests tells of the types too, and beside it there is a core for the other checks.
const [buildCode, checked] = await Promise.all([
  compiled.then((code) => (code === 0 && isBuildNeeded ? assemble() : 0)),
  wanted.length === 0 ? checkAll(compiled) : { passed: 0, failed: 0, skipped: 0 },
]);
if (buildCode !== 0) process.exit(1);

console.log('# tests');
const tallies = [checked, await runTests(wanted)];
const sum = (key) => tallies.reduce((total, tally) => total + tally[key], 0);
if (sum('skipped') > 0) console.log(`# ${sum('skipped')} skipped, each with its reason above`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
