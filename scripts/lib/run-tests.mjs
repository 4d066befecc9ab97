import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCpuMeter } from './children-cpu.mjs';
import { inSources } from './in-sources.mjs';
import { packTap } from './pack-tap.mjs';
import { root } from './root.mjs';
import { costliestText, lanesText } from './run-figures.mjs';
import { failureText, tallyOf } from './tap-tally.mjs';
import { chooseTestFiles } from './test-files.mjs';

/**
 * How many files run at the same time; `waiting` files run in addition. One more than there are cores, because each
 * file sometimes waits for a server's start or for the disk. With more, tests would slow one another down.
 */
const lanesTogether = 1 + Math.min(4, Math.max(2, availableParallelism()));
/** The files that mostly wait come first in these lanes, which then help the others. */
const lanesWaiting = 3;
/** In CI no program or right may be missing: a test that would skip itself fails. */
const isSkipFailure = process.env.CI === 'true';
const fileTimeoutMs = 15 * 60_000;
/** Of one test within a file; tap's default of 30 s is too short for a slow machine. */
const testTimeoutSeconds = '600';
/** Stores that test files have provisioned, for the others: test/support/provisioning.ts. */
const stores = mkdtempSync(join(tmpdir(), 'burgee-stores-'));
process.once('exit', () => rmSync(stores, { recursive: true, force: true }));

/**
 * The environment of a file's process. Only files that mostly wait ask a registry: the others, and what they start, do
 * without further certificates. Node reads those at its start, in more time than the rest of its start takes.
 */
function environmentOf(sharing) {
  const { NODE_EXTRA_CA_CERTS, ...env } = process.env;
  const own = { TAP_TIMEOUT: testTimeoutSeconds, BURGEE_TEST_STORES: stores };
  return { ...(sharing === 'waiting' ? process.env : env), ...own };
}

/** Runs one file in a process of its own and reads its TAP output. */
async function runFile({ path, name, sharing }, takeCpuSeconds) {
  const env = environmentOf(sharing);
  const file = join(root, 'dist', 'test', path);
  const child = spawn(process.execPath, [file], { cwd: root, env });
  let cpuSeconds = null;
  child.once('exit', () => {
    cpuSeconds = takeCpuSeconds();
  });
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
  const seconds = (Date.now() - startedAt) / 1000;
  return { name, end, output, seconds, cpuSeconds, tally: tallyOf(output, end, isSkipFailure) };
}

/** Lines that are printed of a passing file too: the seed that repeats a campaign, and the reason of a skip. */
function remarks(output) {
  return output.split('\n').filter((line) => /^\s*# campaign |^\s*ok \d.*# SKIP/.test(line));
}

function report({ name, end, output, seconds, cpuSeconds, tally }) {
  if (tally.failed === 0) {
    const cpu = cpuSeconds === null ? '' : `, ${cpuSeconds.toFixed(1)} s of CPU time`;
    console.log(`ok ${name}: ${tally.passed} (${seconds.toFixed(1)} s${cpu})`);
    for (const line of remarks(output)) console.log(line);
    return;
  }
  console.log(`not ok ${name}: ${tally.failed} failed, ${tally.passed} passed (ended with ${end})`);
  for (const line of remarks(output)) console.log(line);
  console.log(failureText(inSources(output)));
}

/** Runs the files of the queues one after another, those of the first queue first. Lanes run at the same time. */
async function runLane(lane, queues, run) {
  const startedAt = Date.now();
  const files = [];
  for (;;) {
    const file = queues.find((queue) => queue.length > 0)?.shift();
    if (file === undefined) break;
    const result = await run(file);
    report(result);
    files.push(result);
  }
  return { lane, files, seconds: (Date.now() - startedAt) / 1000 };
}

/** Starts a number of lanes that take from the same queues. */
function runLanes(name, count, queues, run) {
  return Array.from({ length: count }, (_, index) => runLane(`${name} ${index + 1}`, queues, run));
}

/**
 * Runs test files and prints the result of each; of a whole tier also where the time went.
 * @param patterns parts of paths: runs the files of either tier whose path has one of them; without any, a whole tier
 * @param isFull whether the tier is the full one
 * @returns how many tests passed, failed and were skipped
 */
export async function runTests(patterns, isFull = false) {
  const files = chooseTestFiles(patterns, isFull);
  const sharing = (kind) => files.filter((file) => file.sharing === kind);
  await packTap();
  const takeCpuSeconds = createCpuMeter();
  const run = (file) => runFile(file, takeCpuSeconds);
  const [waiting, together] = [sharing('waiting'), sharing('together')];
  const parallel = await Promise.all([
    ...runLanes('waiting', lanesWaiting, [waiting, together], run),
    ...runLanes('together', lanesTogether, [together], run),
  ]);
  const after = await Promise.all(runLanes('alone', 1, [sharing('alone')], run));
  const results = [...parallel, ...after].flatMap((lane) => lane.files);
  if (patterns.length === 0) console.log(`${lanesText(parallel, after)}\n${costliestText(results)}`);
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const { tally } of results) for (const key of Object.keys(sum)) sum[key] += tally[key];
  if (files.length === 0) sum.failed += 1;
  return sum;
}
