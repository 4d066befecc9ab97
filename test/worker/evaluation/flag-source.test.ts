import t, { type Test } from 'tap';
import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import type { StoreReader } from '../../../src/storage/store-reader.ts';
import { createStoreVersionMemory, StoreVersion } from '../../../src/support/store-version.ts';
import { EvaluationMeter } from '../../../src/worker/evaluation/evaluation-meter.ts';
import { evaluationMetrics } from '../../../src/worker/evaluation/evaluation-metrics-protocol.ts';
import { FlagSource } from '../../../src/worker/evaluation/flag-source.ts';
import { flagChangeOf, flagOf, projectOf } from '../../storage/support/records.ts';
import { newStore } from '../../storage/support/sample-store.ts';

/** A store with one flag, and a source of compiled flags whose reader a test can replace. */
function stage(test: Test, readerOf: (reader: StoreReader) => StoreReader = (reader) => reader) {
  const { store, reader } = newStore(test);
  const project = projectOf('o'.repeat(20));
  const flag = flagOf(project.id, { name: 'before' });
  store.write(({ apply }) =>
    apply([{ kind: 'project', before: null, after: project }, flagChangeOf(null, flag)]),
  );
  // The test simulates the time between a commit and its end, so the source gets a version of the test's own.
  const memory = createStoreVersionMemory();
  const meter = new EvaluationMeter(createMetricMemory(evaluationMetrics));
  const source = new FlagSource(readerOf(reader), memory, 2 ** 20, meter);
  return {
    version: new StoreVersion(memory),
    answered: () => {
      source.refresh();
      const body = source.find(flag.id)?.compiled.onBody ?? '';
      return JSON.parse(body).name;
    },
    rename: () => {
      const after = flagOf(project.id, { ...flag, name: 'after', revision: 2 });
      store.write(({ apply }) => apply([flagChangeOf(flag, after)]));
    },
  };
}

t.test('a flag compiled before a commit is not used once the commit may be seen', async (t) => {
  const { version, answered, rename } = stage(t);
  t.equal(answered(), 'before');
  version.begin();
  t.equal(answered(), 'before', 'the commit cannot be seen yet');
  rename();
  t.equal(answered(), 'after', 'another reader may have seen the commit');
  version.end();
  t.equal(answered(), 'after');
});

t.test('after a failed reading, the next request reads the changes', async (t) => {
  let failures = 0;
  const failing = (reader: StoreReader): StoreReader =>
    new Proxy(reader, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          if (name === 'changesSince' && failures > 0) {
            failures -= 1;
            throw new Error('a simulated read error');
          }
          return value.apply(target, args);
        };
      },
    });
  const { version, answered, rename } = stage(t, failing);
  t.equal(answered(), 'before');
  version.begin();
  rename();
  version.end();
  failures = 1;
  t.throws(answered, /simulated/);
  t.equal(answered(), 'after', 'the next request reads again');
});
