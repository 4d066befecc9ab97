import { contextParameters, type EvaluationContext } from './evaluation-context.ts';

/** A context that a program has passed, already decoded. */
export interface PlainContext {
  readonly targetingKey?: string;
  readonly cohort?: string;
  readonly env?: string;
  readonly attributes?: Iterable<readonly [name: string, value: string]>;
}

/** Takes a context that is already decoded, and replaces the present one. */
export function assignPlain(context: EvaluationContext, plain: PlainContext): void {
  const { targetingKey, cohort, env, attributes = [] } = plain;
  context.clear();
  if (targetingKey !== undefined) context.setTargetingKey(targetingKey);
  if (cohort !== undefined) context.addCohort(cohort);
  if (env !== undefined) context.setEnvironment(env);
  for (const [name, value] of attributes) {
    if (!contextParameters.some((parameter) => parameter === name)) context.addAttribute(name, value);
  }
}
