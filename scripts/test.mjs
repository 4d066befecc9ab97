// npm test: installs what is missing, runs every check and every test, and closes with one line: N passed, N failed.
//
//   npm test -- config cli      only the tests whose path contains one of these, and no checks
import './lib/require-node.mjs';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { runChecks } from './lib/checks.mjs';
import { ensureBuilt } from './lib/ensure-built.mjs';
import { ensureInstalled } from './lib/ensure-installed.mjs';
import { root } from './lib/root.mjs';
import { runTool } from './lib/run.mjs';
import { runTests } from './lib/run-tests.mjs';

const wanted = process.argv.slice(2);
await ensureInstalled();
const tally = { passed: 0, failed: 0, skipped: 0 };

if (wanted.length === 0) {
  const { passed, failed } = await runChecks();
  tally.passed += passed;
  tally.failed += failed.length;
  for (const name of failed) console.error(`not ok: ${name}`);
}

await ensureBuilt();
// Whole, so that no test runs against what is no longer there.
for (const stale of ['test', 'bench', '.tsbuildinfo']) {
  rmSync(join(root, 'dist', stale), { recursive: true, force: true });
}
console.log('# tests');
await runTool('tsc', ['-p', 'tsconfig.json']);
const tests = await runTests(wanted);
tally.passed += tests.passed;
tally.failed += tests.failed;
tally.skipped += tests.skipped;

if (tally.skipped > 0) console.log(`# ${tally.skipped} skipped, each with its reason above`);
console.log(`${tally.passed} passed, ${tally.failed} failed`);
process.exitCode = tally.failed === 0 ? 0 : 1;
