import t from 'tap';
import { type Flag, stateIn } from '../../../src/domain/flag/flag.ts';
import { applyPatch, type FlagPatch, parsePatch } from '../../../src/domain/flag/flag-patch.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';
import fc from '../../support/fast-check.ts';
import {
  anyFlag,
  anyPatchBody,
  audienceId,
  bodyOf,
  flagUpdatedAt,
  flagWith,
  isKnownAudience,
} from '../management/domain-fixture.ts';

function problemsOf(body: unknown): string {
  const problems = new ProblemList();
  parsePatch(bodyOf(body), isKnownAudience, problems);
  return problems.detail();
}

function patchOf(body: unknown): FlagPatch {
  const problems = new ProblemList();
  const patch = parsePatch(bodyOf(body), isKnownAudience, problems);
  if (!problems.isEmpty) throw new Error(problems.detail());
  return patch;
}

t.test('a patch has exactly the sent keys', async (t) => {
  t.strictSame(patchOf({ enabled: true }), { enabled: true });
  const whole = { enabled: false, trafficPercentage: 50, cohorts: ['b', 'a'], audienceId };
  t.strictSame(patchOf(whole), whole);
  t.strictSame(patchOf({ audienceId: null, cohorts: [] }), { audienceId: null, cohorts: [] });
});

t.test('a whole number is accepted in every notation', async (t) => {
  for (const [text, value] of Object.entries({
    '50.0': 50,
    '1e1': 10,
    '-0': 0,
    '0.0': 0,
    '100': 100,
    '5E+0': 5,
  })) {
    const { trafficPercentage } = patchOf(`{"trafficPercentage":${text}}`);
    t.ok(Object.is(trafficPercentage, value), text);
  }
  for (const text of ['"50"', '50.5', '-1', '101', 'true', '[50]', '1e400', '-1e400', '{}']) {
    const problem = '"trafficPercentage" must be a whole number between 0 and 100';
    t.equal(problemsOf(`{"trafficPercentage":${text}}`), problem, text);
  }
});

t.test('each problem is named in the words of the specification', async (t) => {
  t.equal(problemsOf({ name: 'x' }), 'unknown field "name"');
  t.equal(problemsOf('{"__proto__":{"enabled":true}}'), 'unknown field "__proto__"');
  t.equal(
    problemsOf({ constructor: 1, prototype: 1 }),
    'unknown field "constructor"; unknown field "prototype"',
  );
  t.equal(problemsOf({ Enabled: true }), 'unknown field "Enabled"', 'keys are case-sensitive');
  for (const key of ['enabled', 'trafficPercentage', 'cohorts']) {
    t.equal(problemsOf({ [key]: null }), `"${key}" cannot be null`);
  }
  t.equal(problemsOf({ enabled: 'true' }), '"enabled" must be true or false');
  t.equal(problemsOf({ enabled: 1 }), '"enabled" must be true or false');
  t.equal(problemsOf({ cohorts: 'a' }), '"cohorts" must be an array of strings');
  t.equal(problemsOf({ cohorts: {} }), '"cohorts" must be an array of strings');
  t.equal(problemsOf({ audienceId: 7 }), '"audienceId" must be a string or null');
  t.equal(problemsOf({ audienceId: 'nope' }), 'Audience "nope" does not exist on this project.');
});

t.test('a cohort has 1 to 256 characters, and bad ones are named one by one', async (t) => {
  const longest = '😀'.repeat(256);
  t.strictSame(patchOf({ cohorts: [longest] }), { cohorts: [longest] });
  const size = 'must be a string of 1 to 256 characters';
  t.equal(
    problemsOf({ cohorts: ['ok', '', 7, null, ['x'], `${longest}x`] }),
    [1, 2, 3, 4, 5].map((index) => `"cohorts[${index}]" ${size}`).join('; '),
  );
  t.equal(
    problemsOf('{"cohorts":["\\ud800"]}'),
    '"cohorts[0]" must be valid Unicode: it has a lone surrogate',
  );
});

t.test('all problems are reported at once, in the order of the keys', async (t) => {
  t.equal(
    problemsOf('{"zeta":1,"7":1,"enabled":null,"3":1,"trafficPercentage":101}'),
    'unknown field "zeta"; unknown field "7"; "enabled" cannot be null; unknown field "3"; "trafficPercentage" must be a whole number between 0 and 100',
  );
});

t.test('nothing to update is a problem that lists the four keys', async (t) => {
  const nothing = 'no fields to update: send at least one of enabled, trafficPercentage, cohorts, audienceId';
  for (const text of ['', '  ', '{}', ' { } ']) t.equal(problemsOf(text), nothing, JSON.stringify(text));
});

t.test('the first fifty problems are listed and the rest counted exactly', async (t) => {
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 0]));
  const detail = problemsOf(keys);
  t.match(detail, /^unknown field "k0"; .*; unknown field "k49"; and 99950 more$/);
  const cohorts = problemsOf({ cohorts: Array.from({ length: 100_000 }, () => 0), x: 1 });
  t.match(cohorts, /^"cohorts\[0\]" .*; and 99951 more$/);
  t.equal(problemsOf({ ['k'.repeat(1000)]: 1 }), `unknown field "${'k'.repeat(64)}…"`);
});

t.test('a present key replaces the stored value and an absent one is left alone', async (t) => {
  const flag = flagWith({ 1: { enabled: true, trafficPercentage: 10, cohortOverride: ['a'], audienceId } });
  const { changed, flag: after, changes } = applyPatch(flag, 1, { trafficPercentage: 20 }, 9000);
  t.ok(changed);
  t.strictSame(after, {
    ...flag,
    states: new Map([[1, { enabled: true, trafficPercentage: 20, cohortOverride: ['a'], audienceId }]]),
    revision: 2,
    updatedAt: 9000,
  });
  t.strictSame(changes, [{ field: 'trafficPercentage', before: 10, after: 20 }]);
});

t.test('updatedAt strictly increases, even when the clock stands still or goes back', async (t) => {
  const flag = flagWith({});
  t.equal(applyPatch(flag, 1, { enabled: true }, flagUpdatedAt).flag.updatedAt, flagUpdatedAt + 1);
  t.equal(applyPatch(flag, 1, { enabled: true }, 1).flag.updatedAt, flagUpdatedAt + 1);
});

t.test('an empty list removes the override, and the environment inherits', async (t) => {
  const flag = flagWith({ 1: { cohortOverride: ['own'] } }, ['wide']);
  const { flag: after, changes } = applyPatch(flag, 1, { cohorts: [] }, 9000);
  t.equal(stateIn(after, 1).cohortOverride, null);
  t.strictSame(changes, [{ field: 'cohorts', before: ['own'], after: [] }]);
  t.notOk(applyPatch(after, 1, { cohorts: [] }, 9001).changed, 'there is no override left to remove');
});

t.test('a list equal to the inherited one creates no override', async (t) => {
  const flag = flagWith({}, ['a', 'b']);
  const result = applyPatch(flag, 1, { cohorts: ['a', 'b'] }, 9000);
  t.notOk(result.changed);
  t.equal(result.flag, flag);
  t.ok(applyPatch(flag, 1, { cohorts: ['b', 'a'] }, 9000).changed, 'another order is another list');
});

t.test('removing an override that equals the flag-wide list is a change', async (t) => {
  const flag = flagWith({ 1: { cohortOverride: ['a'] } }, ['a']);
  t.ok(applyPatch(flag, 1, { cohorts: [] }, 9000).changed);
  t.notOk(applyPatch(flag, 1, { cohorts: ['a'] }, 9000).changed, 'it is stored already');
});

t.test('only the named environment changes', async (t) => {
  const flag = flagWith({ 1: { enabled: true }, 2: { enabled: true } });
  const { flag: after } = applyPatch(flag, 2, { enabled: false }, 9000);
  t.ok(stateIn(after, 1).enabled);
  t.notOk(stateIn(after, 2).enabled);
});

/** A flag's stored fields, without its revision and times. */
function stored(flag: Flag): string {
  const { cohorts } = flag;
  const { enabled, trafficPercentage, cohortOverride, audienceId: audience } = stateIn(flag, 1);
  return JSON.stringify([cohorts, enabled, trafficPercentage, cohortOverride, audience]);
}

t.test('changed is true exactly when the stored flag differs', async () => {
  fc.assert(
    fc.property(anyFlag, anyPatchBody, fc.nat(10_000), (flag, body, now) => {
      const { changed, flag: after, changes } = applyPatch(flag, 1, patchOf(body), now);
      const differs = stored(after) !== stored(flag);
      const movedOn = after.updatedAt > flag.updatedAt && after.revision === flag.revision + 1;
      return changed === differs && changed === changes.length > 0 && (changed ? movedOn : after === flag);
    }),
    { numRuns: 5000 },
  );
});

t.test('a patch applied twice changes nothing the second time', async () => {
  fc.assert(
    fc.property(anyFlag, anyPatchBody, (flag, body) => {
      const once = applyPatch(flag, 1, patchOf(body), 9000).flag;
      const twice = applyPatch(once, 1, patchOf(body), 9001);
      return !twice.changed && twice.flag === once;
    }),
    { numRuns: 5000 },
  );
});

t.test('an override is never stored empty', async () => {
  fc.assert(
    fc.property(anyFlag, anyPatchBody, (flag, body) => {
      const { cohortOverride } = stateIn(applyPatch(flag, 1, patchOf(body), 9000).flag, 1);
      return cohortOverride === null || cohortOverride.length > 0;
    }),
  );
});

t.test('no body crashes the parser', async () => {
  const keys = fc.constantFrom('enabled', 'trafficPercentage', 'cohorts', 'audienceId', '__proto__', 'x');
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.dictionary(keys, fc.jsonValue()), fc.string()), (body) => {
      return typeof problemsOf(body) === 'string';
    }),
    { numRuns: 2000 },
  );
});
