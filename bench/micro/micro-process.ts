import { Bench } from 'tinybench';
import { microBenches } from './micro-benches.ts';

/**
 * Measures one contender of one bench in a process of its own, and prints its ns per operation as a JSON line.
 * Arguments: bench, contender, seconds.
 */
const [benchName = '', contenderName = '', seconds = ''] = process.argv.slice(2);
const contender = microBenches.find(({ name }) => name === benchName)?.contenders[contenderName];
if (contender === undefined) throw new Error(`there is no contender "${contenderName}" of "${benchName}"`);

const { operations, run } = contender.prepare();
const bench = new Bench({
  time: Number(seconds) * 1000,
  warmupTime: Math.min(500, Number(seconds) * 500),
  throws: true,
});
const expected = run();
const task = bench
  .add(contenderName, () => {
    if (run() !== expected) throw new Error('the same operations gave another result');
  })
  .getTask(contenderName);
bench.runSync();
const result = task?.result;
if (result?.state !== 'completed') throw new Error(`the bench is ${result?.state ?? 'gone'}`);
const nsPerOperation = (result.latency.mean * 1e6) / operations;
process.stdout.write(`${JSON.stringify({ nsPerOperation, checksum: expected })}\n`);
