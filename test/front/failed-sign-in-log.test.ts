import t, { type Test } from 'tap';
import type { FailedSignIns } from '../../src/domain/session/failed-sign-ins.ts';
import {
  FailedSignInLog,
  failedAddressesMax,
  failedSignInWindowMs,
} from '../../src/front/failed-sign-in-log.ts';
import type { ApiCall } from '../../src/operations/call.ts';
import type { WriteOutcome } from '../../src/writer/client/writer-client.ts';

const minute = 60_000;

/** A log, and what it has asked the writer to record since the last call. */
function failedSignIns(t: Test, outcome: WriteOutcome = { kind: 'unconfirmed' }) {
  const recorded: FailedSignIns[] = [];
  const faults: unknown[] = [];
  const writer = {
    write: async ({ operation, input }: ApiCall) => {
      t.equal(operation, 'record-failed-sign-ins');
      recorded.push(input as FailedSignIns);
      return outcome;
    },
  };
  const log = new FailedSignInLog(writer, (fault) => faults.push(fault));
  t.teardown(() => log.stop());
  const note = (memberId: string, address: string, now: number): void =>
    log.note({ memberId, address, requestId: `at ${now}` }, now);
  const entries = () =>
    recorded.splice(0).map((one) => [one.address, one.attempts, one.since, one.requestId]);
  return { log, note, entries, faults };
}

t.test('the first attempt is recorded at once, further ones as a count every ten minutes', (t) => {
  const { log, note, entries } = failedSignIns(t);
  for (const at of [0, 1, 2]) note('ann', 'a', at * minute);
  note('ann', 'b', 3 * minute);
  t.strictSame(entries(), [
    ['a', 1, 0, 'at 0'],
    ['b', 1, 3 * minute, `at ${3 * minute}`],
  ]);
  log.sweep(failedSignInWindowMs - 1);
  t.strictSame(entries(), []);
  log.sweep(failedSignInWindowMs);
  t.strictSame(entries(), [['a', 2, 0, null]]);
  note('ann', 'a', 11 * minute);
  log.sweep(20 * minute);
  t.strictSame(
    entries(),
    [['a', 1, 10 * minute, null]],
    'an attack that goes on is one entry in ten minutes',
  );
  log.sweep(30 * minute);
  t.strictSame(entries(), []);
  note('ann', 'a', 31 * minute);
  t.strictSame(
    entries(),
    [['a', 1, 31 * minute, `at ${31 * minute}`]],
    'after ten quiet minutes at once again',
  );
  t.end();
});

t.test('many addresses and many members leave a bounded number of entries', (t) => {
  const { log, note, entries } = failedSignIns(t);
  for (let address = 0; address < 1000; address += 1) note('ann', String(address), 0);
  const first = entries();
  t.equal(first.length, failedAddressesMax + 1);
  t.match(first.at(-1), [null, 1]);
  log.sweep(failedSignInWindowMs);
  t.strictSame(entries(), [[null, 1000 - failedAddressesMax - 1, 0, null]]);
  for (let member = 0; member < 5000; member += 1) note(`m${member}`, 'a', 0);
  t.equal(entries().length, 5000, 'each of them had one attempt');
  t.end();
});

t.test('counts are recorded at the end, and a failure is reported', async (t) => {
  const { log, note, entries, faults } = failedSignIns(t, { kind: 'storage-full' });
  for (const at of [0, 1]) note('ann', 'a', at);
  await log.stop();
  t.match(entries(), [
    ['a', 1],
    ['a', 1],
  ]);
  t.match(faults, [/storage-full/, /storage-full/]);
});
