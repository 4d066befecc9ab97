import type { Audience } from '../../src/domain/evaluation/audience.ts';
import { compileFlag } from '../../src/domain/evaluation/compiled-flag.ts';
import { evaluateFlag, selectState } from '../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../src/domain/evaluation/evaluation-context.ts';
import {
  type EvaluationReasonName,
  evaluationReasons,
} from '../../src/domain/evaluation/evaluation-reason.ts';
import type { Flag } from '../../src/domain/flag/flag.ts';
import { type Project, soleEnvironment } from '../../src/domain/project/project.ts';
import type { DomainCase, DomainReason } from './conformance-case.ts';
import { audienceRules } from './fixture.ts';

const neutralReasons: Readonly<Record<EvaluationReasonName, DomainReason>> = {
  'flag-off': 'flag off',
  'cohort-match': 'cohort listed',
  'audience-mismatch': 'audience not matched',
  'full-rollout': 'everyone',
  'no-rollout': 'nobody',
  'bucket-in-rollout': 'bucket',
  'bucket-not-in-rollout': 'bucket',
  'roll-in-rollout': 'random roll',
  'roll-not-in-rollout': 'random roll',
};

const flagId = '01hzy3k9w8a2b4c6d8e0';
const audienceId = 'A'.repeat(20);
const projectId = 'P'.repeat(20);
const groupEnvironment = 1;

/** Evaluates a case with the pure domain. @param roll the result of a random roll, an unsigned 32-bit integer */
export function evaluateInDomain(
  domain: DomainCase,
  roll: number,
): { enabled: boolean; reason: DomainReason } {
  const compiled = compileFlag(toFlag(domain), toProject(domain), () => toAudience(domain));
  const context = new EvaluationContext();
  const fault = context.decode(domain.query);
  if (fault !== null) throw new Error(`${domain.query}: ${fault}`);
  const state = selectState(compiled, context);
  if (state === null) throw new Error('the environment must be found');
  const row = evaluationReasons[evaluateFlag(compiled, state, context, () => roll)];
  if (row === undefined) throw new Error('an evaluation has a reason');
  return { enabled: row.isOn, reason: neutralReasons[row.name] };
}

/**
 * The flag is multi-environment only if the case has a flag-wide list; its state is that of the query's environment.
 */
function toProject({ flag, query }: DomainCase): Project {
  const isMultiEnvironment = flag.wideCohorts !== undefined;
  const name = new URLSearchParams(query).get('env') ?? '';
  return {
    id: projectId,
    name: 'conformance',
    organisationId: null,
    ownerMemberId: null,
    isMultiEnvironment,
    environments: isMultiEnvironment ? [{ number: groupEnvironment, name, isProtected: false }] : [],
    nextEnvironmentNumber: 2,
    environmentsRevision: 1,
    evaluationAccess: true,
    isProtected: false,
    slugs: [],
    isSlugPublic: false,
    createdAt: 0,
    revision: 1,
  };
}

function toFlag({ flag }: DomainCase): Flag {
  const { enabled, percentage, cohorts = null, wideCohorts, audience } = flag;
  const stored = {
    enabled,
    trafficPercentage: percentage,
    cohortOverride: cohorts,
    audienceId: audience === undefined ? null : audienceId,
  };
  return {
    id: flagId,
    projectId,
    name: 'flag',
    nameSince: 1,
    aliases: [],
    description: '',
    tags: [],
    cohorts: wideCohorts ?? [],
    states: new Map([[wideCohorts === undefined ? soleEnvironment : groupEnvironment, stored]]),
    revision: 1,
    createdAt: 0,
    updatedAt: 0,
  };
}

function toAudience({ flag: { audience } }: DomainCase): Audience | undefined {
  if (audience === undefined) return undefined;
  const times = { createdAt: 0, updatedAt: 0, revision: 1 };
  return { id: audienceId, projectId, name: audience, rules: audienceRules(audience), ...times };
}
