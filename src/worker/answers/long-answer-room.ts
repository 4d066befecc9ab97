import type { Holder } from '../evaluation/pin-room.ts';

/** What an answer needs of the process' bounds. */
export interface LongAnswerNeeds {
  /** Bytes kept in memory for it. */
  readonly bytes: number;
  readonly isPinned: boolean;
}

/** A part of a quota that an answer holds. */
interface Hold {
  end(): void;
}

/** What an answer has of them. */
export interface LongAnswerPlace {
  readonly holds: readonly Hold[];
}

/** The process' bounds on long answers. */
export interface LongAnswerRoom {
  /** @returns null: there is no room, or its holder has a part of it already */
  take(holder: Holder, needs: LongAnswerNeeds): LongAnswerPlace | null;
  give(place: LongAnswerPlace): void;
}
