import { audiences } from './cases/audiences.ts';
import { authentication } from './cases/authentication.ts';
import { badInput } from './cases/bad-input.ts';
import { cohortsOverride } from './cases/cohorts-override.ts';
import { conditionalRequests } from './cases/conditional-requests.ts';
import { cors } from './cases/cors.ts';
import { createMulti } from './cases/create-multi.ts';
import { createSingle } from './cases/create-single.ts';
import { dryRuns } from './cases/dry-runs.ts';
import { eligibility } from './cases/eligibility.ts';
import { environments } from './cases/environments.ts';
import { errorEnvelope } from './cases/error-envelope.ts';
import { evaluationErrors } from './cases/evaluation-errors.ts';
import { evaluationProject } from './cases/evaluation-project.ts';
import { evaluationQuery } from './cases/evaluation-query.ts';
import { evaluationRules } from './cases/evaluation-rules.ts';
import { headAndMethods } from './cases/head-and-methods.ts';
import { health } from './cases/health.ts';
import { idempotencyKeys } from './cases/idempotency-keys.ts';
import { limitsBody } from './cases/limits-body.ts';
import { limitsFailedAuthentication } from './cases/limits-failed-authentication.ts';
import { limitsRate } from './cases/limits-rate.ts';
import { listFlags } from './cases/list-flags.ts';
import { orderOfChecks } from './cases/order-of-checks.ts';
import { patchGroup } from './cases/patch-group.ts';
import { patchRules } from './cases/patch-rules.ts';
import { permission } from './cases/permission.ts';
import { readFlag } from './cases/read-flag.ts';
import { representations } from './cases/representations.ts';
import { token } from './cases/token.ts';
import { typicalUses } from './cases/typical-uses.ts';
import { updatedAt } from './cases/updated-at.ts';
import { versioning } from './cases/versioning.ts';
import type { CaseSteps, ConformanceCase, Step, Topic } from './conformance-case.ts';

export const topics: readonly Topic[] = [
  audiences,
  authentication,
  badInput,
  cohortsOverride,
  conditionalRequests,
  cors,
  createMulti,
  createSingle,
  dryRuns,
  eligibility,
  environments,
  errorEnvelope,
  evaluationErrors,
  evaluationProject,
  evaluationQuery,
  evaluationRules,
  headAndMethods,
  health,
  idempotencyKeys,
  limitsBody,
  limitsFailedAuthentication,
  limitsRate,
  listFlags,
  orderOfChecks,
  patchGroup,
  patchRules,
  permission,
  readFlag,
  representations,
  token,
  typicalUses,
  updatedAt,
  versioning,
];

/** Every case of every topic. */
export const cases: readonly ConformanceCase[] = topics.flatMap((topic) =>
  Object.entries(topic).flatMap(([source, sentences]) =>
    Object.entries(sentences).flatMap(([sentence, byId]) =>
      Object.entries(byId).map(([id, value]) => ({
        id,
        sentence,
        source,
        given: 'shop-town',
        ...toSteps(value),
      })),
    ),
  ),
);

function toSteps(value: Step | readonly Step[] | CaseSteps): CaseSteps {
  if ('steps' in value) return value;
  return { steps: 'length' in value ? value : [value] };
}
