import type { UnsentAnswers } from '../../http/answer-policy.ts';
import type { LongAnswerRoom } from '../answers/long-answers.ts';
import type { PinRoom } from '../evaluation/pin-room.ts';
import type { BudgetName, SharedLimits } from '../worker-protocol.ts';
import { SharedBudget } from './shared-budget.ts';
import { SharedPlaces } from './shared-places.ts';

/** What clients that read slowly, or not at all, may make the service keep of answers that one chunk holds. */
const unsentBytesMax = 128 * 1024 * 1024;
/** The same of longer ones: records that they are made from, and bodies that are made whole. */
const heldBytesMax = 128 * 1024 * 1024;
/** In the place of one: none is left out. */
const noSnapshot = -1;

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
  const answers = new SharedPlaces(limits.places.longAnswers, place, heldBytesMax);
  const pinned = new SharedPlaces(limits.places.pinnedSnapshots, place);
  return {
    snapshots: {
      take: (holder) => {
        const taken = pinned.take(holder);
        return typeof taken === 'number' ? taken : null;
      },
      give: (taken) => pinned.give(taken),
    },
    take: (holder, { bytes, isPinned }) => {
      const answer = answers.take(holder, bytes);
      if (typeof answer !== 'number') return answer;
      const snapshot = isPinned ? pinned.take(holder) : null;
      if (typeof snapshot === 'number' || snapshot === null) return { answer, snapshot };
      answers.give(answer);
      return snapshot;
    },
    wouldTake: (holder, { bytes, isPinned }, without) => {
      if (!answers.wouldTake(holder, bytes, without.answer)) return false;
      return !isPinned || pinned.wouldTake(holder, 0, without.snapshot ?? noSnapshot);
    },
    resize: ({ answer }, bytes) => answers.resize(answer, bytes),
    give: ({ answer, snapshot }) => {
      answers.give(answer);
      if (snapshot !== null) pinned.give(snapshot);
    },
  };
}

/** Room for answers of a chunk at most whose clients have not taken them whole. */
export function unsentAnswers(holder: BudgetHolder): UnsentAnswers {
  const bytes = budgetOf(holder, 'unsentBytes', unsentBytesMax);
  const answers = budgetOf(holder, 'unsentAnswers', Number.MAX_SAFE_INTEGER);
  return {
    take: (length) => {
      if (!bytes.take(length)) return false;
      answers.takeAlways(1);
      return true;
    },
    give: (length) => {
      bytes.give(length);
      answers.give(1);
    },
  };
}
