import { evaluateFlag, selectState } from '../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../src/domain/evaluation/evaluation-context.ts';
import { isOn } from '../../src/domain/evaluation/evaluation-reason.ts';
import { compileHalf, neverRoll } from './burgee-half.ts';
import type { Evaluate } from './evaluator.ts';

/** Burgee's work from a request's raw query on: decodes it, selects the state, evaluates. */
export function prepare(userIds: readonly string[]): Evaluate {
  const { flag } = compileHalf();
  const queries = userIds.map((userId) => Buffer.from(`targetingKey=${userId}`).toString('latin1'));
  const context = new EvaluationContext();
  return (index) => {
    const query = queries[index] as string;
    if (context.decode(query) !== null) throw new Error('a query was not decoded');
    const state = selectState(flag, context);
    if (state === null) throw new Error('no state was selected');
    return isOn(evaluateFlag(flag, state, context, neverRoll));
  };
}
