import t from 'tap';
import { catalogue } from '../../bench/catalogue.ts';
import { evaluationRuns, knownScenarios, otherRuns, peerRuns, testRuns } from './scenario-runs.ts';

t.test('every scenario is run here, in other-scenarios or in client', async (t) => {
  const named = catalogue.map(({ name }) => name).filter((name) => name !== 'peers');
  t.strictSame(named.sort(), knownScenarios());
  const ran = [...evaluationRuns, ...otherRuns, ...peerRuns].flatMap(({ scenarios, before }) =>
    before === undefined ? scenarios : [],
  );
  t.strictSame(ran.sort(), named);
});

testRuns(evaluationRuns);
