import t from 'tap';
import { catalogue } from '../../bench/catalogue.ts';
import { knownScenarios, otherRuns, runsInCi, testRuns } from './scenario-runs.ts';

t.test('every scenario is run here or in other-scenarios', async (t) => {
  const named = catalogue.map(({ name }) => name).filter((name) => name !== 'peers');
  t.strictSame(named.sort(), knownScenarios());
  const ran = [...runsInCi, ...otherRuns].flatMap(({ scenarios, isAgain }) => (isAgain ? [] : scenarios));
  t.strictSame(ran.sort(), named);
});

testRuns(runsInCi);
