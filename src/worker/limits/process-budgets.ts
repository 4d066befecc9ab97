import type { UnsentAnswers } from '../../http/answer-policy.ts';
import type { LongAnswerRoom } from '../answers/long-answer-room.ts';
import type { Holder, PinRoom } from '../evaluation/pin-room.ts';
import {
  type BudgetName,
  longAnswersMax,
  pinnedSnapshotsMax,
  type SharedLimits,
} from '../worker-protocol.ts';
import { addressFromBytes, type ClientAddresses } from './address-finder.ts';
import { type FairHold, FairRoom } from './fair-room.ts';
import { SharedBudget } from './shared-budget.ts';

/** Memory for answers of at most one chunk whose clients read slowly or not at all. */
const unsentBytesMax = 128 * 1024 * 1024;
/** The same for longer answers: the records from which they are made, and bodies that are made whole. */
const heldBytesMax = 128 * 1024 * 1024;

/** A worker that takes from the shared budgets. */
export interface BudgetHolder {
  readonly limits: Pick<SharedLimits, 'budgets'>;
  readonly place: number;
}

/** @returns a shared budget, as this worker takes from it */
export function budgetOf({ limits, place }: BudgetHolder, name: BudgetName, max: number): SharedBudget {
  return new SharedBudget(limits.budgets[name], place, max);
}

/** The memory for bodies that are arriving, or wait for the writer. @param max bytes, of all workers together */
export function bodyRoom(holder: BudgetHolder, max: number): FairRoom {
  return new FairRoom(budgetOf(holder, 'bodyBytes', max), max);
}

/** The places for requests of an API that are not answered yet. */
export interface RequestRoom {
  /** One place for each. */
  readonly all: SharedBudget;
  /** A further hold for each that waits: for its body, its turn, or the writer. */
  readonly waiting: FairRoom;
}

/** @param max requests, of all workers together */
export function requestRoom(holder: BudgetHolder, api: 'management' | 'console', max: number): RequestRoom {
  return {
    all: budgetOf(holder, `${api}Requests`, max),
    waiting: new FairRoom(budgetOf(holder, `${api}Waiting`, max), max),
  };
}

/** Refusals of tokens that are being recorded, of all workers together. */
const denialsMax = 256;

export function denialRoom(holder: BudgetHolder): FairRoom {
  return new FairRoom(budgetOf(holder, 'denials', denialsMax), denialsMax);
}

/** The room for long answers, for what is kept for them, and for the snapshots that they hold. */
export function longAnswerRoom(holder: BudgetHolder): LongAnswerRoom & { readonly snapshots: PinRoom } {
  const answers = new FairRoom(budgetOf(holder, 'longAnswers', longAnswersMax), longAnswersMax);
  const bytes = new FairRoom(budgetOf(holder, 'longAnswerBytes', heldBytesMax), heldBytesMax);
  const pinned = new FairRoom(budgetOf(holder, 'snapshots', pinnedSnapshotsMax), pinnedSnapshotsMax);
  const take = (room: FairRoom, name: string, amount: number): FairHold | null => {
    const hold = room.of(name);
    return hold.take(amount) ? hold : null;
  };
  return {
    snapshots: { take: (one) => take(pinned, nameOf(one), 1), give: (hold) => hold.end() },
    take: (one, needs) => {
      const name = nameOf(one);
      const holds = [
        take(answers, name, 1),
        take(bytes, name, needs.bytes),
        ...(needs.isPinned ? [take(pinned, name, 1)] : []),
      ];
      const taken = holds.filter((hold) => hold !== null);
      if (taken.length === holds.length)
        return { holds: taken, held: taken[1] as FairHold, bytes: needs.bytes };
      for (const hold of taken) hold.end();
      return null;
    },
    resize: (place, more) => {
      if (more > place.bytes && !place.held.take(more - place.bytes)) return false;
      if (more < place.bytes) place.held.give(place.bytes - more);
      place.bytes = more;
      return true;
    },
    give: ({ holds }) => {
      for (const hold of holds) hold.end();
    },
  };
}

function nameOf({ organisation, project, asker, address }: Holder): string {
  return organisation ?? project ?? asker ?? address ?? '';
}

/** The room for answers of at most one chunk whose clients have not read them whole. */
export function unsentAnswers(holder: BudgetHolder, addresses: ClientAddresses): UnsentAnswers {
  const all = budgetOf(holder, 'unsentBytes', unsentBytesMax);
  const answers = budgetOf(holder, 'unsentAnswers', Number.MAX_SAFE_INTEGER);
  const room = new FairRoom(all, unsentBytesMax);
  const holdFor = (peer: Uint8Array): Pick<FairHold, 'take' | 'give'> =>
    addresses.isTrustedPeer(peer) ? all : room.ofStranger(addressFromBytes(peer).limitKey);
  return {
    take: (length, peer) => {
      const hold = holdFor(peer);
      if (!hold.take(length)) return null;
      answers.takeAlways(1);
      return () => {
        hold.give(length);
        answers.give(1);
      };
    },
  };
}
