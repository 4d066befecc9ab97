import { evaluateFlag } from '../../src/domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../src/domain/evaluation/evaluation-context.ts';
import { isOn } from '../../src/domain/evaluation/evaluation-reason.ts';
import { compileHalf, neverRoll } from './burgee-half.ts';
import type { Evaluate } from './evaluator.ts';

/**
 * `evaluateFlag` alone, with contexts decoded beforehand. One context for each user would take gigabytes of buffers.
 * Instead there is one context for each length of key, and the current user's decoded bytes are copied into it.
 */
export function prepare(userIds: readonly string[]): Evaluate {
  const { flag, state } = compileHalf();
  const byLength = new Map<number, EvaluationContext>();
  const decoded = userIds.map((userId) => {
    const query = `targetingKey=${userId}`;
    const context = byLength.get(query.length) ?? new EvaluationContext();
    byLength.set(query.length, context);
    if (context.decode(query) !== null) throw new Error('a query was not decoded');
    return { context, bytes: context.bytes.slice(0, context.targetingKeyEnd) };
  });
  return (index) => {
    const { context, bytes } = decoded[index] as (typeof decoded)[number];
    context.bytes = bytes;
    return isOn(evaluateFlag(flag, state, context, neverRoll));
  };
}
