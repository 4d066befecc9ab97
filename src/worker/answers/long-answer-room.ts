import type { RefusedShare } from '../evaluation/evaluation-metrics-protocol.ts';
import type { Holder } from '../evaluation/pin-room.ts';
import type { LongAnswerPlace } from './long-answer.ts';

/** What an answer needs of the process' bounds. */
export interface LongAnswerNeeds {
  /** Bytes kept in memory for it. */
  readonly bytes: number;
  readonly isPinned: boolean;
}

/** The process' bounds on long answers, and the share of each holder. */
export interface LongAnswerRoom {
  /** @returns a place; or the share that is used up */
  take(holder: Holder, needs: LongAnswerNeeds): LongAnswerPlace | RefusedShare;
  /** Whether the answer would get a place if `without` were given back. */
  wouldTake(holder: Holder, needs: LongAnswerNeeds, without: LongAnswerPlace): boolean;
  /** Asks another worker for a place that would do, whose client does not read: there is room a little later. */
  want(holder: Holder, needs: LongAnswerNeeds): void;
  /**
   * Tells the other workers since when the client of a place has not read, in milliseconds of `monotonicMs`; null: it
   * reads. @returns whether another worker wants the place
   */
  noteUnread(place: LongAnswerPlace, since: number | null): boolean;
  /** Sets the bytes that are kept for a place. @returns null; or the share that is used up, and nothing has changed */
  resize(place: LongAnswerPlace, bytes: number): RefusedShare | null;
  give(place: LongAnswerPlace): void;
}
