import { evaluateFlag, selectState } from '../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../src/domain/evaluation/evaluation-context.ts';
import { isOn } from '../../src/domain/evaluation/evaluation-reason.ts';
import { compileHalf, neverRoll } from './burgee-half.ts';
import type { Evaluate } from './evaluator.ts';

const encoder = new TextEncoder();

/** Burgee from the raw bytes of a request's query: decodes them, selects the state, evaluates. */
export function prepare(userIds: readonly string[]): Evaluate {
  const { flag } = compileHalf();
  const queries = userIds.map((userId) => encoder.encode(`targetingKey=${userId}`));
  const context = new EvaluationContext();
  return (index) => {
    const query = queries[index] as Uint8Array;
    if (context.decode(query, 0, query.length) !== null) throw new Error('a query was not decoded');
    const state = selectState(flag, context);
    if (state === null) throw new Error('no state was selected');
    return isOn(evaluateFlag(flag, state, context, neverRoll));
  };
}
