import type { UnsentAnswers } from '../../http/answer-policy.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { LongAnswerRoom } from '../answers/long-answer-room.ts';
import { unreadMs } from '../answers/unread-answers.ts';
import type { PinRoom } from '../evaluation/pin-room.ts';
import type { BudgetName, SharedLimits } from '../worker-protocol.ts';
import { addressFromBytes, type ClientAddresses } from './address-finder.ts';
import { type FairHold, FairRoom, strangersMax, strangersShare } from './fair-room.ts';
import { SharedBudget } from './shared-budget.ts';
import { SharedPlaces } from './shared-places.ts';

/** Memory for answers of at most one chunk whose clients read slowly or not at all. */
const unsentBytesMax = 128 * 1024 * 1024;
/** The same for longer answers: the records from which they are made, and bodies that are made whole. */
const heldBytesMax = 128 * 1024 * 1024;
/** Instead of a place: none is left out. */
const noSnapshot = -1;

/** A worker that takes from the shared budgets. */
export interface BudgetHolder {
  readonly limits: Pick<SharedLimits, 'budgets'>;
  readonly place: number;
}

/** A worker that takes from the shared places. */
export interface PlaceHolder {
  readonly limits: Pick<SharedLimits, 'places'>;
  readonly place: number;
}

/** @returns a shared budget, as this worker takes from it */
export function budgetOf({ limits, place }: BudgetHolder, name: BudgetName, max: number): SharedBudget {
  return new SharedBudget(limits.budgets[name], place, max);
}

/** Up to so many bytes, a body counts for the process alone: most come whole, and are short. */
const uncountedBodyBytes = 4096;
/** While no more than this part of a room for requests or for unsent answers is in use, it counts for the process alone. */
const uncountedShare = 0.25;

/** A worker that takes from the rooms that holders share. */
export interface RoomHolder {
  readonly limits: Pick<SharedLimits, 'budgets' | 'shares'>;
  readonly place: number;
}

/** The memory for bodies that are arriving, or wait for the writer. @param max bytes, of all workers together */
export function bodyRoom(holder: RoomHolder, max: number): FairRoom {
  return new FairRoom({
    all: budgetOf(holder, 'bodyBytes', max),
    strangers: budgetOf(holder, 'strangersBodyBytes', strangersMax(max)),
    shares: holder.limits.shares.bodies,
    place: holder.place,
    isCounted: (held) => held > uncountedBodyBytes,
    takesOfAll: true,
  });
}

/** The places for requests of an API that are not answered yet. */
export interface RequestRoom {
  /** One place for each. */
  readonly all: SharedBudget;
  /** A further hold for each that waits: for its body, its turn, or the writer. */
  readonly waiting: FairRoom;
}

/** @param max requests, of all workers together */
export function requestRoom(holder: RoomHolder, api: 'management' | 'console', max: number): RequestRoom {
  const all = budgetOf(holder, `${api}Requests`, max);
  const waiting = new FairRoom({
    all,
    strangers: budgetOf(holder, `${api}Strangers`, strangersMax(max)),
    shares: holder.limits.shares[`${api}Requests`],
    place: holder.place,
    isCounted: (_held, used) => used > max * uncountedShare,
    takesOfAll: false,
  });
  return { all, waiting };
}

/** Refusals of tokens that are being recorded, of all workers together. */
const denialsMax = 256;

/** The places of refusals that the writer is to record: a token that is refused without pause leaves places for others. */
export function denialRoom(holder: RoomHolder): FairRoom {
  const all = budgetOf(holder, 'denials', denialsMax);
  return new FairRoom({
    all,
    // A denial always has a token.
    strangers: all,
    shares: holder.limits.shares.denials,
    place: holder.place,
    isCounted: (_held, used) => used > denialsMax * uncountedShare,
    takesOfAll: true,
  });
}

/** The room for long answers, and for the snapshots that they hold. */
export function longAnswerRoom({
  limits,
  place,
}: PlaceHolder): LongAnswerRoom & { readonly snapshots: PinRoom } {
  const answers = new SharedPlaces(limits.places.longAnswers, place, heldBytesMax, strangersShare);
  const pinned = new SharedPlaces(limits.places.pinnedSnapshots, place, 0, strangersShare);
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
    want: (holder, { bytes, isPinned }) => {
      const before = monotonicMs() - unreadMs;
      answers.want(holder, bytes, before);
      if (isPinned) pinned.want(holder, 0, before);
    },
    noteUnread: ({ answer, snapshot }, since) => {
      const isAnswerWanted = answers.noteUnread(answer, since);
      const isSnapshotWanted = snapshot !== null && pinned.noteUnread(snapshot, since);
      return isAnswerWanted || isSnapshotWanted;
    },
    resize: ({ answer }, bytes) => answers.resize(answer, bytes),
    give: ({ answer, snapshot }) => {
      answers.give(answer);
      if (snapshot !== null) pinned.give(snapshot);
    },
  };
}

/**
 * The room for answers of at most one chunk whose clients have not read them whole. A peer that reads slowly on many
 * connections gets a share of it; behind a declared proxy, which stands for many clients, it counts for the process
 * alone.
 */
export function unsentAnswers(holder: RoomHolder, addresses: ClientAddresses): UnsentAnswers {
  const bytes = budgetOf(holder, 'unsentBytes', unsentBytesMax);
  const answers = budgetOf(holder, 'unsentAnswers', Number.MAX_SAFE_INTEGER);
  const room = new FairRoom({
    all: bytes,
    // No part is set aside for known askers, because an answer does not say who asked.
    strangers: bytes,
    shares: holder.limits.shares.unsentBytes,
    place: holder.place,
    isCounted: (_held, used) => used > unsentBytesMax * uncountedShare,
    takesOfAll: false,
  });
  const holdFor = (peer: Uint8Array): Pick<FairHold, 'take' | 'give'> =>
    addresses.isTrustedPeer(peer) ? bytes : room.ofStranger(addressFromBytes(peer).limitKey);
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
