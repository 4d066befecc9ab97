// npm test: installs what is missing, runs every check and the tests of the quick tier, and ends with one line: N
// passed, N failed. A test is a leaf of tap's tree; its assertions are not counted.
//
//   npm test -- config cli      only the tests whose path contains one of these, of either tier, and no checks
//   npm run test:full           every test; .ci/run calls this
import './lib/choose-node.mjs';
import { assemble } from './lib/build.mjs';
import { runChecks } from './lib/checks.mjs';
import { compileAll } from './lib/compile.mjs';
import { isBuilt } from './lib/ensure-built.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';
import { runTests } from './lib/run-tests.mjs';

async function checkAll(compiled) {
  const { passed, failed } = await runChecks(() => compiled);
  for (const name of failed) console.error(`not ok: ${name}`);
  return { passed, failed: failed.length, skipped: 0 };
}

const words = process.argv.slice(2);
const patterns = words.filter((word) => word !== '--full');
await ensureInstalled();
const isBuildNeeded = !isBuilt();
const compiled = compileAll();
// Compiling the tests checks the types too; the other checks run at the same time, on another core.
const [buildCode, checked] = await Promise.all([
  // Where the types are wrong, no test runs: it would run on an older build.
  compiled.then((code) => (code === 0 && isBuildNeeded ? assemble() : code)),
  patterns.length === 0 ? checkAll(compiled) : { passed: 0, failed: 0, skipped: 0 },
]);
if (buildCode !== 0) process.exit(1);

console.log('# tests');
const tallies = [checked, await runTests(patterns, words.includes('--full'))];
const sum = (key) => tallies.reduce((total, tally) => total + tally[key], 0);
if (sum('skipped') > 0) console.log(`# ${sum('skipped')} skipped, each with its reason above`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
