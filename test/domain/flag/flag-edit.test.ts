import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { applyFlagEdit } from '../../../src/domain/flag/apply-flag-edit.ts';
import { type Flag, type FlagState, stateIn } from '../../../src/domain/flag/flag.ts';
import { parseFlagEdit, type SentFlag } from '../../../src/domain/flag/flag-edit.ts';
import { applyPatch, parsePatch } from '../../../src/domain/flag/flag-patch.ts';
import { storedLists, wholeFlag } from '../../../src/domain/flag/whole-flag.ts';
import { ProblemList } from '../../../src/domain/problem-list.ts';
import type { Project } from '../../../src/domain/project/project.ts';
import fc from '../../support/fast-check.ts';
import {
  anyFlag,
  anyPatchBody,
  anyState,
  bodyOf,
  flagWith,
  isKnownAudience,
  projectWith,
} from '../management/domain-fixture.ts';

const now = 9000;
const group = projectWith(['production', 'staging']);
const single = projectWith(null);

/** fast-check also makes objects without a prototype. */
function isSameState(one: FlagState, other: FlagState): boolean {
  return isDeepStrictEqual({ ...one }, { ...other });
}

function edited(flag: Flag, project: Project, sent: SentFlag) {
  const problems = new ProblemList();
  const edit = parseFlagEdit(sent, project, isKnownAudience, problems);
  if (!problems.isEmpty) throw new Error(problems.detail());
  return applyFlagEdit(flag, project, edit, now);
}

t.test('a draft of one environment has the same effect as the same patch', async (t) => {
  const property = fc.property(anyFlag, anyPatchBody, (flag, body) => {
    const patch = parsePatch(bodyOf(body), isKnownAudience, new ProblemList());
    const patched = applyPatch(flag, 1, patch, now);
    const draft = edited(flag, group, { states: { 1: body } });
    const same = isSameState(stateIn(draft.flag, 1), stateIn(patched.flag, 1));
    const { revision, updatedAt } = draft.flag;
    return (
      same &&
      draft.changed === patched.changed &&
      revision === patched.flag.revision &&
      updatedAt === patched.flag.updatedAt &&
      draft.environment === (patched.changed ? 'production' : null) &&
      draft.changes.every(
        ({ field }, index) => field === `environments.production.${patched.changes[index]?.field}`,
      )
    );
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }));
});

t.test('a single-environment draft, with its list at the top, does what the same patch does', async (t) => {
  const property = fc.property(anyState, anyPatchBody, (state, body) => {
    const flag = flagWith({ 0: state });
    const patched = applyPatch(flag, 0, parsePatch(bodyOf(body), isKnownAudience, new ProblemList()), now);
    const { cohorts, ...rest } = body as { cohorts?: string[] };
    const sent: SentFlag = cohorts === undefined ? { states: { 0: rest } } : { cohorts, states: { 0: rest } };
    const draft = edited(flag, single, sent);
    return (
      isSameState(stateIn(draft.flag), stateIn(patched.flag)) &&
      draft.flag.cohorts.length === 0 &&
      draft.changed === patched.changed &&
      draft.environment === null
    );
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }));
});

t.test('storing a flag as it is shown stores it unchanged', async (t) => {
  const property = fc.property(anyFlag, anyState, (flag, state) => {
    const sole = { ...flagWith({ 0: state }), states: new Map([[0, state]]) };
    const isSame = (one: Flag, project: Project, number: number) => {
      const stored = { ...one, ...storedLists(wholeFlag(one, project), project) };
      return (
        isSameState(stateIn(stored, number), stateIn(one, number)) &&
        isDeepStrictEqual(stored.cohorts, one.cohorts)
      );
    };
    return isSame(flag, group, 1) && isSame(sole, single, 0);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
});

t.test('a draft equal to the shown flag changes nothing', async (t) => {
  const property = fc.property(anyFlag, (flag) => {
    const { states, ...rest } = wholeFlag(flag, group);
    const sent = Array.from(states, ([number, { cohortOverride, ...state }]) => {
      return [String(number), { ...state, cohorts: cohortOverride }] as const;
    });
    const draft = edited(flag, group, { ...rest, states: Object.fromEntries(sent) });
    return !draft.changed && draft.flag === flag && !draft.attachesAudience;
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300 }));
});

t.test('updatedAt strictly increases with any clock', async (t) => {
  const flag = { ...flagWith({}), updatedAt: now + 5 };
  t.equal(edited(flag, group, { description: 'x' }).flag.updatedAt, now + 6);
  t.equal(edited({ ...flag, updatedAt: now - 1 }, group, { description: 'x' }).flag.updatedAt, now);
});
