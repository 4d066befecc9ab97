import { isWellFormed } from '../../support/code-points.ts';
import { type ProblemList, shown } from '../problem-list.ts';
import { contextParameters, type PlainContext } from './evaluation-context.ts';

const attributesMax = 100;

/** Who a flag is tried for, as the console sends it. An empty key or cohort counts as absent, as in a request. */
export interface SentContext {
  readonly targetingKey?: string;
  readonly cohort?: string;
  /** A name may come several times: each adds a value. */
  readonly attributes?: readonly { readonly name: string; readonly value: string }[];
}

/** @param problems gets what no request could say. */
export function readTrialContext(sent: SentContext, problems: ProblemList): PlainContext {
  const { targetingKey = '', cohort = '', attributes = [] } = sent;
  addUnicodeProblem(targetingKey, 'targetingKey', problems);
  addUnicodeProblem(cohort, 'cohort', problems);
  if (attributes.length > attributesMax) {
    problems.add(() => `attributes must be at most ${attributesMax}`);
  }
  for (const [index, { name, value }] of attributes.slice(0, attributesMax).entries()) {
    addAttributeProblems(name, value, `attributes[${index}]`, problems);
  }
  return { targetingKey, cohort, attributes: attributes.map(({ name, value }) => [name, value] as const) };
}

function addAttributeProblems(name: string, value: string, path: string, problems: ProblemList): void {
  if (contextParameters.some((parameter) => parameter === name)) {
    problems.add(() => `${path}.name must not be ${shown(name)}: it is never an attribute`);
  }
  addUnicodeProblem(name, `${path}.name`, problems);
  addUnicodeProblem(value, `${path}.value`, problems);
}

function addUnicodeProblem(text: string, field: string, problems: ProblemList): void {
  if (!isWellFormed(text)) problems.add(() => `${field} must be valid Unicode: it has a lone surrogate`);
}
