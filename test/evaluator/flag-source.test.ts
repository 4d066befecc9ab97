import t from 'tap';
import { EvaluationMeter } from '../../src/evaluator/evaluation-meter.ts';
import { evaluationMetrics } from '../../src/evaluator/evaluation-metrics-protocol.ts';
import { FlagSource } from '../../src/evaluator/flag-source.ts';
import { createMetricMemory } from '../../src/observability/metric-cells.ts';
import { createStoreVersionMemory, StoreVersion } from '../../src/support/store-version.ts';
import { flagChangeOf, flagOf, projectOf } from '../storage/support/records.ts';
import { newStore } from '../storage/support/sample-store.ts';

t.test('a flag that was compiled before is not used once a commit may be seen', async (t) => {
  const { store, reader } = newStore(t);
  const project = projectOf('o'.repeat(20));
  const flag = flagOf(project.id, { name: 'before' });
  store.write(({ apply }) =>
    apply([{ kind: 'project', before: null, after: project }, flagChangeOf(null, flag)]),
  );
  // The test plays the moment between a commit and its end: the store's own version is not the one that is looked at.
  const memory = createStoreVersionMemory();
  const version = new StoreVersion(memory);
  const meter = new EvaluationMeter(createMetricMemory(evaluationMetrics));
  const source = new FlagSource(reader, memory, 2 ** 20, meter);
  const answered = () => {
    source.refresh();
    const body = source.find(flag.id)?.compiled.onBody ?? '';
    return JSON.parse(body).name;
  };

  t.equal(answered(), 'before');
  version.begin();
  t.equal(answered(), 'before', 'nothing can be seen yet');
  const after = flagOf(project.id, { ...flag, name: 'after', revision: 2 });
  store.write(({ apply }) => apply([flagChangeOf(flag, after)]));
  t.equal(answered(), 'after', 'somebody else may have seen it');
  version.end();
  t.equal(answered(), 'after');
});

t.test('changes that could not be read once are read with the next request', async (t) => {
  const { store, reader } = newStore(t);
  const project = projectOf('o'.repeat(20));
  const flag = flagOf(project.id, { name: 'before' });
  store.write(({ apply }) =>
    apply([{ kind: 'project', before: null, after: project }, flagChangeOf(null, flag)]),
  );
  const memory = createStoreVersionMemory();
  const version = new StoreVersion(memory);
  let failures = 0;
  const failing = new Proxy(reader, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (name === 'changesSince' && failures > 0) {
          failures -= 1;
          throw new Error('the disk has not kept what was written');
        }
        return value.apply(target, args);
      };
    },
  });
  const meter = new EvaluationMeter(createMetricMemory(evaluationMetrics));
  const source = new FlagSource(failing, memory, 2 ** 20, meter);
  const answered = () => {
    source.refresh();
    const body = source.find(flag.id)?.compiled.onBody ?? '';
    return JSON.parse(body).name;
  };
  t.equal(answered(), 'before');
  version.begin();
  store.write(({ apply }) =>
    apply([flagChangeOf(flag, flagOf(project.id, { ...flag, name: 'after', revision: 2 }))]),
  );
  version.end();
  failures = 1;
  t.throws(answered, /has not kept/);
  t.equal(answered(), 'after', 'the request after it looks again');
});
