import { setImmediate } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import t, { type Test } from 'tap';
import { EnvironmentWatch } from '../../src/worker/sync/environment-watch.ts';
import { SyncWork } from '../../src/worker/sync/sync-work.ts';
import { newStore } from '../storage/support/sample-store.ts';

/** Work for nobody: only what is passed on is looked at. */
function newWork(t: Test, log: Logger): SyncWork {
  const { reader, version } = newStore(t);
  const watch = new EnvironmentWatch({
    reader,
    refresh: () => reader.renew(),
    storeVersion: version,
    onFault: (fault) => t.fail(String(fault)),
  });
  return new SyncWork({
    ...{ watch, log },
    onStep: () => undefined,
    serve: () => undefined,
    onFailed: () => t.fail('no event failed'),
  });
}

t.test('what is asked for again while it is passed on is passed on once more, behind others', async (t) => {
  const work = newWork(t, pino({ level: 'silent' }));
  const done: string[] = [];
  const [moved, other] = [{}, {}];
  const pass = (about: object, round: string) =>
    work.forEach(about, ['x', 'y'], (item) => done.push(`${round}${item}`));
  for (let round = 0; round < 1000; round += 1) pass(moved, `${round}`);
  pass(other, 'other ');
  while (done.length < 6) await setImmediate();
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  t.same(done, ['0x', '0y', 'other x', 'other y', '999x', '999y']);
});

t.test('an item that fails keeps nobody from the rest', async (t) => {
  const told: unknown[] = [];
  const log = pino({}, { write: (line: string) => void told.push(JSON.parse(line).msg) });
  const work = newWork(t, log);
  const done: number[] = [];
  work.forEach({}, [1, 2, 3], (item) => {
    if (item === 2) throw new Error('two');
    done.push(item);
  });
  while (done.length < 2) await setImmediate();
  t.same(done, [1, 3]);
  t.same(told, ['a message of sync could not be made']);
});
