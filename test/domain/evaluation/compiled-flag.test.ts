import t from 'tap';
import type { Audience } from '../../../src/domain/evaluation/audience.ts';
import { compileFlag } from '../../../src/domain/evaluation/compiled-flag.ts';
import type { Flag, FlagState } from '../../../src/domain/flag/flag.ts';
import { audienceOf, flagOf, projectOf } from '../../storage/support/records.ts';

const environments = Array.from({ length: 10 }, (_, index) => ({
  number: index + 1,
  name: `env-${index}`,
  isProtected: false,
}));
const project = projectOf(null, { isMultiEnvironment: true, environments });
const cohorts = Array.from({ length: 10_000 }, (_, index) => `customer-${index}`);

function groupFlag(state: Partial<FlagState>): Flag {
  const full = { enabled: true, trafficPercentage: 0, cohortOverride: null, audienceId: null, ...state };
  return flagOf(project.id, {
    cohorts,
    states: new Map(environments.map(({ number }) => [number, full])),
  });
}

t.test('environments that inherit the flag-wide cohorts share one compiled list', async (test) => {
  const compiled = compileFlag(groupFlag({}), project, () => undefined);
  const sets = new Set(compiled.states.map((state) => state.cohorts));
  test.equal(sets.size, 1);
  const textBytes = cohorts.join('').length;
  test.ok(compiled.sizeBytes < 10 * textBytes, `${compiled.sizeBytes} bytes count the list once`);
});

t.test('environments with lists of their own do not share', async (test) => {
  const own = groupFlag({});
  const states = new Map(
    [...own.states].map(([number, state]) => [number, { ...state, cohortOverride: [`own-${number}`] }]),
  );
  const compiled = compileFlag({ ...own, states }, project, () => undefined);
  test.equal(new Set(compiled.states.map((state) => state.cohorts)).size, environments.length);
});

t.test('flags with the same audience share its compiled rules', async (test) => {
  const audience = audienceOf(project.id);
  const audienceById = (): Audience => audience;
  const [one, other] = [1, 2].map(() =>
    compileFlag(groupFlag({ audienceId: audience.id }), project, audienceById),
  );
  test.equal(one?.states[0]?.rules, other?.states[3]?.rules);
});
