import type { LongAnswerRoom } from '../../api/long-answers.ts';
import type { PinRoom } from '../../evaluator/pin-room.ts';
import type { UnsentAnswers } from '../../http/answer-policy.ts';
import type { BudgetName, SharedLimits } from '../worker-protocol.ts';
import { SharedBudget } from './shared-budget.ts';
import { SharedPlaces } from './shared-places.ts';

/** What clients that read slowly, or not at all, may make the service keep. */
const unsentBytesMax = 128 * 1024 * 1024;

/** A worker that takes from the budgets of the process. */
export interface BudgetHolder {
  readonly limits: Pick<SharedLimits, 'budgets'>;
  readonly place: number;
}

/** A worker that takes from the places of the process. */
export interface PlaceHolder {
  readonly limits: Pick<SharedLimits, 'places'>;
  readonly place: number;
}

/** @returns a budget of the process, as this worker takes from it */
export function budgetOf({ limits, place }: BudgetHolder, name: BudgetName, max: number): SharedBudget {
  return new SharedBudget(limits.budgets[name], place, max);
}

/** Room for long answers, and for the snapshots that they keep. */
export function longAnswerRoom({
  limits,
  place,
}: PlaceHolder): LongAnswerRoom & { readonly snapshots: PinRoom } {
  const answers = new SharedPlaces(limits.places.longAnswers, place);
  const pinned = new SharedPlaces(limits.places.pinnedSnapshots, place);
  return {
    snapshots: {
      take: (holder) => {
        const taken = pinned.take(holder);
        return typeof taken === 'number' ? taken : null;
      },
      give: (taken) => pinned.give(taken),
    },
    take: (holder, isPinned) => {
      const answer = answers.take(holder);
      if (typeof answer !== 'number') return answer;
      if (!isPinned) return { give: () => answers.give(answer) };
      const snapshot = pinned.take(holder);
      if (typeof snapshot !== 'number') {
        answers.give(answer);
        return snapshot;
      }
      return {
        give: () => {
          answers.give(answer);
          pinned.give(snapshot);
        },
      };
    },
  };
}

/** Room for large answers whose clients have not taken them whole. */
export function unsentAnswers(holder: BudgetHolder): UnsentAnswers {
  const bytes = budgetOf(holder, 'unsentBytes', unsentBytesMax);
  const answers = budgetOf(holder, 'unsentAnswers', Number.MAX_SAFE_INTEGER);
  return {
    take: (length) => {
      if (!bytes.take(length)) {
        if (answers.used > 0) return false;
        bytes.takeAlways(length);
      }
      answers.takeAlways(1);
      return true;
    },
    give: (length) => {
      bytes.give(length);
      answers.give(1);
    },
  };
}
