import t from 'tap';
import {
  consoleFlagView,
  flagRow,
  flagViewOf,
  type StateKind,
} from '../../src/contracts/console/flag-views.ts';
import type { Flag, FlagState } from '../../src/domain/flag/flag.ts';
import { flagView } from '../../src/domain/flag/flag-view.ts';
import type { Project } from '../../src/domain/project/project.ts';
import { flagRecord, skimFlag } from '../../src/storage/tables/flag-record.ts';
import { jsonPieces } from '../../src/support/packed-json.ts';
import { joinPieces } from '../../src/support/text-pieces.ts';

/* A flag is shown with the same bytes whether its lists were decoded or not. */

const key = Buffer.from('0123456789abcdefghijk');
const names = ['production', '10', '__proto__', '2', 'staging'];

function projectOf(isMultiEnvironment: boolean): Project {
  const environments = names.map((name, index) => ({ number: index + 1, name, isProtected: false }));
  return {
    id: 'p'.repeat(21),
    name: 'project',
    organisationId: null,
    ownerMemberId: null,
    isMultiEnvironment,
    environments: isMultiEnvironment ? environments : [],
    nextEnvironmentNumber: 6,
    environmentsRevision: 3,
    evaluationAccess: true,
    createdAt: 1,
    revision: 1,
  };
}

function stateOf(cohortOverride: readonly string[] | null): FlagState {
  return { enabled: true, trafficPercentage: 30, cohortOverride, audienceId: null };
}

const long = Array.from({ length: 5000 }, (_, index) => `cohort "${index}" \\ é`);

function flagOf(cohorts: readonly string[], states: readonly (readonly [number, FlagState])[]): Flag {
  return {
    id: 'f'.repeat(21),
    projectId: 'p'.repeat(21),
    name: 'a "name"',
    description: 'what it is for',
    tags: ['one', 'two'],
    cohorts,
    states: new Map(states),
    revision: 7,
    createdAt: 1_700_000_000_000,
    updatedAt: 1_700_000_000_001,
  };
}

const flags: readonly (readonly [string, boolean, Flag])[] = [
  ['without environments', false, flagOf([], [[0, stateOf(long)]])],
  ['without environments, and with defaults', false, flagOf([], [])],
  ['that inherits', true, flagOf(long, [[2, stateOf(null)]])],
  [
    'with lists of its own',
    true,
    flagOf(
      ['a'],
      [
        [1, stateOf(long)],
        [3, stateOf(['b', 'c'])],
        [9, stateOf(long)],
      ],
    ),
  ],
];

for (const [name, isMultiEnvironment, flag] of flags) {
  t.test(`a flag ${name}`, async (t) => {
    const project = projectOf(isMultiEnvironment);
    const packed = skimFlag(key, flagRecord.encode(key, flag));
    for (const environment of [null, ...project.environments]) {
      const shown = joinPieces(jsonPieces(flagView(packed, project, environment)));
      t.ok(shown === JSON.stringify(flagView(flag, project, environment)), environment?.name ?? 'all');
    }
    t.ok(
      joinPieces(jsonPieces(flagViewOf(packed, project))) === JSON.stringify(consoleFlagView(flag, project)),
    );
    const kinds: [StateKind[], StateKind[]] = [[], []];
    const row = flagRow(
      packed,
      project,
      ({ count }) => count,
      (kind) => kinds[0].push(kind) - 1,
    );
    const expected = flagRow(
      flag,
      project,
      ({ length }) => length,
      (kind) => kinds[1].push(kind) - 1,
    );
    t.same(row, expected);
    t.same(kinds[0], kinds[1]);
  });
}
