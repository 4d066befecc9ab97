import { compileFlag } from '../../domain/evaluation/compiled-flag.ts';
import { evaluateFlag, selectState } from '../../domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { isOn } from '../../domain/evaluation/evaluation-reason.ts';
import { type Environment, findEnvironment, type Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { type EvaluationRefusal, EvaluationRefusals } from '../evaluation-answer.ts';
import { randomRoll } from '../flag-evaluator.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The answer to `GET /v1/flags/project/{project_id}`: a refusal, or JSON in pieces. */
export type ProjectEvaluation =
  | EvaluationRefusal
  | { readonly status: 200; readonly pieces: Iterable<string> };

/** @returns the environments to compile for: none of a single-environment project, or the one that `env` names. */
function askedEnvironments(project: Project, context: EvaluationContext): readonly Environment[] | null {
  if (!project.isMultiEnvironment) return [];
  if (context.envStart < 0) return null;
  const name = decoder.decode(context.bytes.subarray(context.envStart, context.envEnd));
  const environment = findEnvironment(project, name);
  return environment === undefined ? null : [environment];
}

function* evaluateFlags(
  queries: RecordQueries,
  project: Project,
  environments: readonly Environment[],
  context: EvaluationContext,
): Generator<string> {
  let separator = '[';
  for (const flag of queries.flagsOf(project.id)) {
    const compiled = compileFlag(flag, project, (id) => queries.audience(id), environments);
    const state = selectState(compiled, context);
    if (state === null) throw new Error(`flag ${flag.id} has no state where its project has an environment`);
    const enabled = isOn(evaluateFlag(compiled, state, context, randomRoll));
    yield separator + JSON.stringify({ id: flag.id, name: flag.name, enabled });
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/**
 * Every flag of a project for one context, by name, then id. Order of checks: decoding 400, unknown project 404, access
 * off 403, environment missing or unknown 404 (decisions).
 */
export function evaluateProject(
  queries: RecordQueries,
  projectId: string,
  query: string,
  docsUrl: string,
): ProjectEvaluation {
  const refusals = new EvaluationRefusals(docsUrl);
  const context = new EvaluationContext();
  const bytes = encoder.encode(query);
  const fault = context.decode(bytes, 0, bytes.length);
  if (fault !== null) return refusals.queryFault(fault, context);
  const project = queries.project(projectId);
  if (project === undefined) return refusals.fixed('no-project');
  if (!project.evaluationAccess) return refusals.fixed('access-off');
  const environments = askedEnvironments(project, context);
  if (environments === null) return refusals.fixed('no-environment');
  return { status: 200, pieces: evaluateFlags(queries, project, environments, context) };
}
