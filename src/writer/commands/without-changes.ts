import type { Step } from '../../domain/management/refusal.ts';
import { proceed } from '../../domain/management/refusal.ts';
import type { WriteDecision } from './management-command.ts';

/** A dry run: the answer that the write would give, but for the tag of a state that is not stored. */
export function withoutChanges(decided: Step<WriteDecision>): Step<WriteDecision> {
  if (!decided.ok) return decided;
  return proceed({ changes: [], answer: { ...decided.value.answer, entityTag: null } });
}
