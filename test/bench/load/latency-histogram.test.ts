import t from 'tap';
import { LatencyRecorder, mergeHistograms, readHistogram } from '../../../bench/load/latency-histogram.ts';

function recordUs(latencies: Iterable<number>): LatencyRecorder {
  const recorder = new LatencyRecorder();
  for (const latencyUs of latencies) recorder.recordMs(latencyUs / 1000);
  return recorder;
}

function* range(from: number, to: number): Iterable<number> {
  for (let value = from; value <= to; value += 1) yield value;
}

function isNear(actual: number, expected: number): boolean {
  return Math.abs(actual - expected) <= Math.max(1, expected / 1000);
}

t.test('percentiles have three significant digits, and none is above the maximum', async (t) => {
  const recorder = recordUs(range(1, 10_000));
  t.equal(recorder.count, 10_000);
  for (const percentile of [50, 90, 99, 99.9])
    t.ok(isNear(recorder.percentileUs(percentile), percentile * 100), `${percentile}`);
  t.equal(recorder.percentileUs(100), 10_000);
  t.equal(recorder.maxUs, 10_000);
  t.ok(isNear(recorder.meanUs, 5000.5));
});

t.test('latencies under a µs are distinguished, and the longest count as 100 s', async (t) => {
  t.ok(Math.abs(recordUs([25.25]).percentileUs(50) - 25.25) < 0.02);
  t.equal(recordUs([1e12]).maxUs, 1e8);
});

t.test('an encoded histogram has the same latencies, in whole µs', async (t) => {
  const recorder = recordUs(range(1, 10_000));
  const read = readHistogram(recorder.encode());
  t.equal(read.count, 10_000);
  for (const percentile of [0, 50, 99, 99.9, 100])
    t.ok(isNear(read.percentileUs(percentile), recorder.percentileUs(percentile)), `${percentile}`);
  t.ok(isNear(read.maxUs, 10_000));
});

t.test('a merged histogram has all latencies of its parts', async (t) => {
  const low = recordUs(range(1, 1000)).encode();
  const high = recordUs(range(1001, 10_000)).encode();
  const merged = readHistogram(mergeHistograms([low, high]));
  t.equal(merged.count, 10_000);
  t.ok(isNear(merged.percentileUs(50), 5000));
  t.ok(isNear(merged.percentileUs(5), 500));
  t.ok(isNear(readHistogram(mergeHistograms([low])).percentileUs(50), 500));
});

t.test('without latencies there are no percentiles', async (t) => {
  const none = readHistogram(mergeHistograms([]));
  t.equal(none.count, 0);
  t.same([none.percentileUs(50), none.maxUs, none.meanUs], [Number.NaN, Number.NaN, Number.NaN]);
  t.ok(Number.isNaN(new LatencyRecorder().percentileUs(99)));
});
