import type { LongAnswerRoom } from '../../api/long-answers.ts';
import type { PinRoom } from '../../evaluator/pin-room.ts';
import type { UnsentAnswers } from '../../http/answer-policy.ts';
import type { BudgetName, SharedLimits } from '../worker-protocol.ts';
import { SharedBudget } from './shared-budget.ts';

/** Lists and exports that are being made, or sent to slow clients. */
const longAnswersMax = 1024;
/** Snapshots that they keep: LMDB has 512 readers, of which each takes one. */
const pinnedSnapshotsMax = 64;
/** What clients that read slowly, or not at all, may make the service keep. */
const unsentBytesMax = 128 * 1024 * 1024;

/** A worker that takes from the budgets of the process. */
export interface BudgetHolder {
  readonly limits: Pick<SharedLimits, 'budgets'>;
  readonly place: number;
}

/** @returns a budget of the process, as this worker takes from it */
export function budgetOf({ limits, place }: BudgetHolder, name: BudgetName, max: number): SharedBudget {
  return new SharedBudget(limits.budgets[name], place, max);
}

/** Room for long answers, and for the snapshots that they keep. */
export function longAnswerRoom(holder: BudgetHolder): LongAnswerRoom & { readonly snapshots: PinRoom } {
  const answers = budgetOf(holder, 'longAnswers', longAnswersMax);
  const pinned = budgetOf(holder, 'pinnedSnapshots', pinnedSnapshotsMax);
  return {
    snapshots: { take: () => pinned.take(1), give: () => pinned.give(1) },
    take: (isPinned) => {
      if (!answers.take(1)) return false;
      if (!isPinned || pinned.take(1)) return true;
      answers.give(1);
      return false;
    },
    give: (isPinned) => {
      answers.give(1);
      if (isPinned) pinned.give(1);
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
    takeAlways: (length) => {
      bytes.takeAlways(length);
      answers.takeAlways(1);
    },
    give: (length) => {
      bytes.give(length);
      answers.give(1);
    },
  };
}
