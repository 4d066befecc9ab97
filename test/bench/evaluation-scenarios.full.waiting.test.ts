import t from 'tap';
import { catalogue } from '../../bench/catalogue.ts';
import { evaluationRuns, knownScenarios, otherRuns, testRuns } from './scenario-runs.ts';

t.test('every scenario is run here or in other-scenarios', async (t) => {
  const named = catalogue.map(({ name }) => name).filter((name) => name !== 'peers');
  t.strictSame(named.sort(), knownScenarios());
  const ran = [...evaluationRuns, ...otherRuns].flatMap(({ scenarios, before }) =>
    before === undefined ? scenarios : [],
  );
  t.strictSame(ran.sort(), named);
});

testRuns(evaluationRuns);
