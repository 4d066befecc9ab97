import {
  type CompiledFlag,
  type CompiledState,
  compileFlag,
} from '../../src/domain/evaluation/compiled-flag.ts';
import { initialState } from '../../src/domain/flag/flag.ts';
import { soleEnvironment } from '../../src/domain/project/project.ts';

/** The flag `half` of a single-environment project, on for 50 %, compiled as in Burgee's workers. */
export function compileHalf(): { readonly flag: CompiledFlag; readonly state: CompiledState } {
  const ids = { flag: 'cm5half0000000000001', project: 'cm5half0000000000002' };
  const times = { createdAt: 0, revision: 1 };
  const flag = compileFlag(
    {
      ...times,
      id: ids.flag,
      projectId: ids.project,
      name: 'half',
      nameSince: 1,
      aliases: [],
      description: '',
      tags: [],
      cohorts: [],
      states: new Map([[soleEnvironment, { ...initialState, enabled: true, trafficPercentage: 50 }]]),
      updatedAt: 0,
    },
    {
      ...times,
      id: ids.project,
      name: 'peers',
      organisationId: null,
      ownerMemberId: null,
      isMultiEnvironment: false,
      environments: [],
      nextEnvironmentNumber: 1,
      environmentsRevision: 1,
      evaluationAccess: true,
      isProtected: false,
      slugs: [],
      isSlugPublic: false,
    },
    () => undefined,
  );
  if (flag.sole === null) throw new Error('a flag of a single-environment project has one state');
  return { flag, state: flag.sole };
}

/** Every request here has a targeting key. */
export function neverRoll(): number {
  throw new Error('a random roll was requested');
}
