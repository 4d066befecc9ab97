import t from 'tap';
import { editDraft, newDraft } from '../../src/console/draft/draft.ts';
import {
  copiedState,
  flagBody,
  flagFields,
  partsOfKey,
  stateKey,
} from '../../src/console/draft/flag-fields.ts';
import type { ConsoleFlagView } from '../../src/contracts/console/flag-views.ts';

const state = { enabled: false, trafficPercentage: 0, cohortOverride: null, audienceId: null };
const flag: ConsoleFlagView = {
  id: 'Flag0000000000000001',
  projectId: 'Project0000000000001',
  name: 'checkout',
  description: '',
  tags: [],
  cohorts: ['shared'],
  states: { '1': state, '12': { ...state, enabled: true, trafficPercentage: 50, cohortOverride: ['own'] } },
  revision: 7,
  createdAt: 1,
  updatedAt: 2,
};

t.test('a draft is one request with the revision from which it began', async (t) => {
  const { edits, revision } = editDraft(newDraft(flagFields(flag), flag.revision), {
    name: 'renamed',
    [stateKey('1', 'trafficPercentage')]: 25,
    [stateKey('1', 'cohortOverride')]: ['a', 'b'],
    [stateKey('12', 'audienceId')]: 'Audience000000000001',
  });
  t.strictSame(flagBody(revision, edits), {
    revision: 7,
    name: 'renamed',
    states: {
      '1': { trafficPercentage: 25, cohorts: ['a', 'b'] },
      '12': { audienceId: 'Audience000000000001' },
    },
  });
});

t.test('a reset to the inherited list sends null, and labels alone send no states', async (t) => {
  t.strictSame(flagBody(7, { [stateKey('12', 'cohortOverride')]: null }), {
    revision: 7,
    states: { '12': { cohorts: null } },
  });
  t.strictSame(flagBody(7, { tags: ['x'] }), { revision: 7, tags: ['x'] });
});

t.test('copying a state includes its override', async (t) => {
  const copied = copiedState(flag.states['12'] ?? state, '1');
  t.strictSame(editDraft(newDraft(flagFields(flag), 7), copied).edits, {
    '1/enabled': true,
    '1/trafficPercentage': 50,
    '1/cohortOverride': ['own'],
  });
});

t.test('a key contains its environment and its field', async (t) => {
  t.strictSame(partsOfKey('12/enabled'), { environment: '12', name: 'enabled' });
  t.strictSame(partsOfKey('name'), { environment: null, name: 'name' });
});
