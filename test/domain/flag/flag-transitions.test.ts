import t from 'tap';
import { effectiveCohorts, type FlagState, initialState, stateIn } from '../../../src/domain/flag/flag.ts';
import { applyPatch, type FlagPatch } from '../../../src/domain/flag/flag-patch.ts';
import { flagUpdatedAt, flagWith } from '../management/domain-fixture.ts';

/* The specification's table of flag states: each row with each of its initial states. */
const lists = [null, ['a'], ['a', 'b'], ['b', 'a']] as const;
const sentLists = [[], ['a'], ['a', 'b'], ['b', 'a']] as const;
const now = flagUpdatedAt + 1000;

function patched(state: Partial<FlagState>, wide: readonly string[], patch: FlagPatch) {
  const before = flagWith({ 1: state }, wide);
  const result = applyPatch(before, 1, patch, now);
  const after = stateIn(result.flag, 1);
  return { before, result, after, shown: effectiveCohorts(result.flag, after) };
}

t.test('enabled × the value that is sent', async (t) => {
  for (const enabled of [false, true]) {
    for (const sent of [false, true]) {
      const { before, result, after } = patched({ enabled }, [], { enabled: sent });
      const name = `${enabled} → ${sent}`;
      t.equal(after.enabled, sent, name);
      t.equal(result.changed, enabled !== sent, name);
      t.equal(result.flag.updatedAt, enabled === sent ? flagUpdatedAt : now, name);
      t.equal(result.flag.revision, enabled === sent ? before.revision : before.revision + 1, name);
      const entry = enabled === sent ? [] : [{ field: 'enabled', before: enabled, after: sent }];
      t.strictSame(result.changes, entry, `${name}: the audit entry`);
    }
  }
});

t.test('a patch whose result equals the stored state writes nothing, for any fields', async (t) => {
  const whole: FlagState = {
    ...initialState,
    ...{ enabled: true, trafficPercentage: 40, cohortOverride: ['a'], audienceId: 'Audience000000000001' },
  };
  const { enabled, trafficPercentage, audienceId } = whole;
  const patches: FlagPatch[] = [
    { enabled },
    { trafficPercentage },
    { cohorts: ['a'] },
    { audienceId },
    { enabled, trafficPercentage, cohorts: ['a'], audienceId },
  ];
  for (const patch of patches) {
    const { before, result } = patched(whole, ['wide'], patch);
    t.strictSame(result, { changed: false, flag: before, changes: [] }, JSON.stringify(patch));
  }
});

t.test('cohorts of a group flag: every override × flag-wide list × sent list', async (t) => {
  for (const override of lists) {
    for (const wide of sentLists) {
      for (const sent of sentLists) {
        const { result, after, shown } = patched({ cohortOverride: override }, wide, { cohorts: sent });
        const name = JSON.stringify({ override, wide, sent });
        const inheritsTheSame = override === null && JSON.stringify(sent) === JSON.stringify(wide);
        const expected = sent.length === 0 || inheritsTheSame ? null : sent;
        t.strictSame(after.cohortOverride, expected, `stored of ${name}`);
        t.strictSame(shown, expected ?? wide, `shown of ${name}`);
        const isChanged = JSON.stringify(override) !== JSON.stringify(expected);
        t.equal(result.changed, isChanged, `changed of ${name}`);
        t.equal(result.flag.updatedAt, isChanged ? now : flagUpdatedAt, `updatedAt of ${name}`);
        if (wide.length > 0)
          t.ok(shown.length > 0, `no environment is without cohorts beside a list: ${name}`);
      }
    }
  }
});
