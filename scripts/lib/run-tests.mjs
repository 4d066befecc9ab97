import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { failureText, tallyOf } from './tap-tally.mjs';

const concurrency = 2;
/** Tests that wait for most of their time, for what comes late or for another program, go beside the others. */
const waiting = new RegExp(
  [
    '^bench/peers[.]',
    '^browser/live[.]',
    '^cli/held-directory[.]',
    '^conformance/limit-windows[.]',
    '^console/(audit-export|session-use|watch-project)[.]',
    '^campaigns/clock[.]',
    '^notifier/notifier[.]',
    '^packaging/(haproxy|image-tree|newer-nodes)[.]',
  ].join('|'),
);
/** Tests that assert how long something takes get the machine for themselves, after all others. */
const alone = new RegExp(
  [
    '^robustness/',
    '^lifecycle/(bursts|concurrent-changes|large-audit-entries|long-list|shutdown|slow-readers|worker-(deaths|logs))[.]',
    '^campaigns/(hostile-clients|overload|soak|steps|workers)[.]',
  ].join('|'),
);
const fileTimeoutMs = 15 * 60_000;
/** Of one test within a file, in seconds; tap's own default of 30 is short for a slow machine. */
const testTimeoutSeconds = '600';

function testFiles(folder = '') {
  return readdirSync(join(root, 'dist', 'test', folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return testFiles(path);
    return entry.name.endsWith('.test.js') ? [path] : [];
  });
}

/** Runs one file in a process of its own and reads what it says in TAP. */
async function runFile(path) {
  const env = { ...process.env, TAP_TIMEOUT: testTimeoutSeconds };
  const file = join(root, 'dist', 'test', path);
  const child = spawn(process.execPath, ['--enable-source-maps', file], { cwd: root, env });
  let output = '';
  const take = (text) => {
    output += text;
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const timer = setTimeout(() => child.kill('SIGKILL'), fileTimeoutMs);
  const startedAt = Date.now();
  const end = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  clearTimeout(timer);
  return { path, end, output, seconds: (Date.now() - startedAt) / 1000, tally: tallyOf(output, end) };
}

/** What a test says aloud even when all is well: the seed that repeats a campaign, and why something was skipped. */
function remarks(output) {
  return output.split('\n').filter((line) => /^\s*# campaign |^\s*ok \d.*# SKIP/.test(line));
}

function report({ path, end, output, seconds, tally }) {
  const name = path.replace(/\.test\.js$/, '');
  if (tally.failed === 0) {
    console.log(`ok ${name}: ${tally.passed} (${seconds.toFixed(1)} s)`);
    for (const line of remarks(output)) console.log(line);
    return;
  }
  console.log(`not ok ${name}: ${tally.failed} failed, ${tally.passed} passed (ended with ${end})`);
  console.log(failureText(output));
}

/** Runs the test files whose path contains one of `wanted`; all when there is none. */
export async function runTests(wanted) {
  const files = testFiles().filter(
    (path) => wanted.length === 0 || wanted.some((part) => path.includes(part)),
  );
  const sum = { passed: 0, failed: 0, skipped: 0 };
  const runAll = async (queue) => {
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      const result = await runFile(path);
      report(result);
      for (const key of Object.keys(sum)) sum[key] += result.tally[key];
    }
  };
  const together = files.filter((path) => !alone.test(path) && !waiting.test(path));
  const lanes = Array.from({ length: concurrency }, () => runAll(together));
  await Promise.all([runAll(files.filter((path) => waiting.test(path))), ...lanes]);
  await runAll(files.filter((path) => alone.test(path)));
  if (files.length === 0) sum.failed += 1;
  return sum;
}
