import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { createLeaseMemory, LeaseCell, leaseMsMax } from '../../src/support/lease-cell.ts';
import { monotonicMs } from '../../src/support/monotonic-clock.ts';
import type { LeaseWriting } from './lease-writer.ts';

const hourMs = 3_600_000;

t.test(
  'there is no lease until it is renewed, and none after its end, for all who share the memory',
  async (t) => {
    const memory = createLeaseMemory();
    const [writer, before] = [new LeaseCell(memory), new LeaseCell(memory)];
    t.notOk(before.isValid());
    writer.renew(monotonicMs() + 10_000, Date.now() + 10_000);
    const after = new LeaseCell(memory);
    t.ok(writer.isValid() && before.isValid() && after.isValid());
    writer.end();
    t.notOk(writer.isValid() || before.isValid() || after.isValid());
    writer.renew(monotonicMs() + 10_000, Date.now() + 10_000);
    t.ok(before.isValid() && after.isValid());
  },
);

t.test('a lease ends when its time on the monotonic clock is over', async (t) => {
  const cell = new LeaseCell(createLeaseMemory());
  const until = monotonicMs() + 200;
  cell.renew(until, Date.now() + 10_000);
  t.ok(cell.isValid());
  let lastValidMs = 0;
  // The clock is read before the look: between the two this thread may be made to wait.
  for (let now = monotonicMs(); now < until + 5; now = monotonicMs()) if (cell.isValid()) lastValidMs = now;
  t.ok(lastValidMs > 0 && lastValidMs <= until, 'not a look longer');
  t.notOk(cell.isValid());
});

t.test(
  'what was seen in a millisecond of the wall clock holds for no renewal, no end and no other millisecond',
  async (t) => {
    const { now } = Date;
    t.teardown(() => {
      Date.now = now;
    });
    const wallMs = now();
    Date.now = () => wallMs;
    const cell = new LeaseCell(createLeaseMemory());
    const renew = (leaseMs: number): void => cell.renew(monotonicMs() + leaseMs, wallMs + leaseMs);
    renew(10_000);
    t.ok(cell.isValid() && cell.isValid());
    cell.end();
    t.notOk(cell.isValid(), 'the end');
    renew(10_000);
    t.ok(cell.isValid());
    renew(1);
    t.notOk(
      cell.isValid(),
      'a renewal whose time on the monotonic clock may be over within this millisecond',
    );
    renew(10_000);
    t.ok(cell.isValid());
    Date.now = () => wallMs + 10_000;
    t.notOk(cell.isValid(), 'another millisecond, in which the lease is over');
  },
);

t.test('a wall clock that was set ends a lease, whichever way, until it is renewed', async (t) => {
  const cell = new LeaseCell(createLeaseMemory());
  const leaseMs = 2700;
  const renew = (wallMs: number): void => cell.renew(monotonicMs() + leaseMs, wallMs + leaseMs);
  renew(Date.now());
  t.ok(cell.isValid());
  renew(Date.now() - hourMs);
  t.notOk(cell.isValid(), 'an hour has passed that the monotonic clock has not seen');
  renew(Date.now() + hourMs);
  t.notOk(cell.isValid(), 'the clock went back behind the renewal');
  renew(Date.now());
  t.ok(cell.isValid());
});

t.test('a lease is as long as one may be, also on clocks that have run for years', async (t) => {
  const cell = new LeaseCell(createLeaseMemory());
  t.ok(Date.now() + leaseMsMax > 2 ** 40, 'the wall clock needs both halves of a bound');
  cell.renew(monotonicMs() + leaseMsMax, Date.now() + leaseMsMax);
  t.ok(cell.isValid());
});

t.test('nobody sees one bound of one renewal and one of another', async (t) => {
  const memory = createLeaseMemory();
  const stop = new SharedArrayBuffer(4);
  const revision = new Int32Array(memory);
  const workerData: LeaseWriting = { lease: memory, stop };
  const writer = new Worker(new URL('./lease-writer.js', import.meta.url), { workerData });
  const gone = once(writer, 'exit');
  const cell = new LeaseCell(memory);
  let valid = 0;
  let seen = 0;
  for (let last = 0; seen < 20_000; ) {
    if (cell.isValid()) valid += 1;
    const now = Atomics.load(revision, 0);
    if (now !== last) seen += 1;
    last = now;
  }
  Atomics.store(new Int32Array(stop), 0, 1);
  await gone;
  t.equal(valid, 0, `in ${seen} looks between which the lease was written`);
});
