import autocannon from 'autocannon';
import type { Load, LoadResult } from './load-generator.ts';

/** Runs one load, given as JSON in the first argument, and prints its result as JSON. */
const load = JSON.parse(process.argv[2] ?? '') as Load;
const path = new URL(load.url).pathname;
const keysOfConnection = 1000;
const requests = Array.from({ length: Math.min(load.targetingKeys, keysOfConnection) }, (_unused, index) => ({
  path: `${path}?targetingKey=user-${(index * 7919) % load.targetingKeys}`,
}));
const result = await autocannon({
  url: load.url,
  connections: load.connections,
  duration: load.seconds,
  requests,
});
const answered = result['2xx'] + result.non2xx;
const summary: LoadResult = {
  requests: answered,
  requestsPerSecond: answered / result.duration,
  failures: result.non2xx + result.errors + result.timeouts,
};
process.stdout.write(JSON.stringify(summary));
