import t from 'tap';
import { EvaluatorMeter } from '../../src/evaluator/evaluator-meter.ts';
import { evaluatorMetrics } from '../../src/evaluator/evaluator-metrics-protocol.ts';
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
  const meter = new EvaluatorMeter(createMetricMemory(evaluatorMetrics));
  const source = new FlagSource(reader, memory, 2 ** 20, meter);
  const answered = () => {
    source.refresh();
    const body = source.find(flag.id)?.compiled.onBody ?? new Uint8Array();
    return JSON.parse(Buffer.from(body).toString()).name;
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
