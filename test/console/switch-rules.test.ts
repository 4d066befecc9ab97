import t from 'tap';
import {
  afterSwitch,
  isStillMeant,
  keysOf,
  questionOf,
  type SwitchWish,
  switchBody,
} from '../../src/console/switching/switch-rules.ts';

const target = {
  projectId: 'p',
  flagId: 'f',
  flagName: 'gift-cards',
  environment: { number: 1, name: 'production' },
  isProtected: false,
};
const guarded = { ...target, isProtected: true };
const state = { enabled: false, trafficPercentage: 10, cohortOverrideCount: null, audienceId: null };
const wish: SwitchWish = {
  ...{ target, next: true, edits: {}, before: {}, isUndo: false, isChanged: false, draft: null },
  ...{ stored: { revision: 3, cohortCount: 0, state }, onStored: null },
};
const draft = {
  edits: { '1/trafficPercentage': 50 },
  before: { '1/trafficPercentage': 10 },
  onConflict: () => undefined,
};
const atZero = { ...wish.stored, state: { ...state, trafficPercentage: 0 } };

t.test(
  'a switch asks where it is protected, where it reaches nobody, and with unsaved changes',
  async (t) => {
    t.equal(questionOf(wish), null);
    t.equal(questionOf({ ...wish, target: guarded }), 'protected');
    t.equal(questionOf({ ...wish, target: guarded, next: false }), 'protected');
    t.equal(questionOf({ ...wish, stored: atZero }), 'nobody');
    t.equal(questionOf({ ...wish, stored: atZero, target: guarded }), 'nobody');
    t.equal(questionOf({ ...wish, stored: { ...atZero, cohortCount: 1 } }), null, 'the cohort is reached');
    t.equal(questionOf({ ...wish, draft }), 'draft');
    t.equal(questionOf({ ...wish, draft, stored: atZero }), 'draft');
    // Off is off for everybody, whatever else is stored or drafted.
    t.equal(questionOf({ ...wish, draft, next: false }), null);
    t.equal(questionOf({ ...wish, stored: atZero, next: false }), null);
    t.equal(questionOf({ ...wish, target: { ...target, environment: null } }), null);
  },
);

t.test('an Undo asks only where the environment is protected, either way', async (t) => {
  t.equal(questionOf({ ...wish, isUndo: true, stored: atZero }), null);
  t.equal(questionOf({ ...wish, isUndo: true, target: guarded }), 'protected');
  t.equal(questionOf({ ...wish, isUndo: true, target: guarded, next: false }), 'protected');
});

t.test("others' changes count only where they change the effect that was told", async (t) => {
  const { stored } = wish;
  t.equal(isStillMeant(wish, { ...stored, revision: 9 }), true);
  t.equal(isStillMeant(wish, { ...stored, state: { ...state, trafficPercentage: 100 } }), false);
  t.equal(isStillMeant(wish, { ...stored, state: { ...state, audienceId: 'a' } }), false);
  t.equal(isStillMeant(wish, { ...stored, cohortCount: 2 }), false);
  t.equal(isStillMeant(wish, { ...stored, state: { ...state, cohortOverrideCount: 0 } }), true);
  t.equal(isStillMeant({ ...wish, next: false }, { ...stored, cohortCount: 2 }), true);
});

t.test('a switch sends itself and what is saved with it', async (t) => {
  t.strictSame(switchBody(wish, 7), { revision: 7, states: { 1: { enabled: true } } });
  t.strictSame(switchBody({ ...wish, target: { ...target, environment: null } }, 7).states, {
    0: { enabled: true },
  });
  const saving = { ...wish, edits: draft.edits };
  t.strictSame(switchBody(saving, 7).states, { 1: { enabled: true, trafficPercentage: 50 } });
  t.strictSame(keysOf(saving), ['1/enabled', '1/trafficPercentage']);
});

t.test('the effect is that of the stored state with what is saved', async (t) => {
  t.strictSame(afterSwitch(wish), { cohortCount: 0, state: { ...state, enabled: true } });
  const edits = {
    '1/trafficPercentage': 50,
    '1/audienceId': 'a',
    '1/cohortOverride': ['x', 'y'],
    cohorts: ['z'],
  };
  t.strictSame(afterSwitch({ ...wish, edits }), {
    cohortCount: 1,
    state: { enabled: true, trafficPercentage: 50, audienceId: 'a', cohortOverrideCount: 2 },
  });
  const own = { ...wish.stored, state: { ...state, cohortOverrideCount: 4 } };
  const inheriting = afterSwitch({ ...wish, stored: own, edits: { '1/cohortOverride': null } });
  t.equal(inheriting.state.cohortOverrideCount, null);
});
