import type { AnswerMeter } from '../observability/answer-meter.ts';
import type { PipeliningGuard } from './pipelining-guard.ts';

/** The memory that all connections together may keep for answers that sockets have not taken whole. */
export interface UnsentAnswers {
  /**
   * @param peer whose socket does not take the answer: 4 or 16 bytes of its address
   * @returns gives the room back, to be called once; null: there is none for this peer
   */
  take(bytes: number, peer: Uint8Array): (() => void) | null;
}

/** Rules for all answers of a thread. */
export interface AnswerPolicy {
  /**
   * Called for each answer until it returns true: whether the answer closes its connection, so that the client connects
   * to another worker. A worker may have to give a certain number of such answers.
   */
  mustClose(): boolean;
  readonly unsent: UnsentAnswers;
}

/** What the answers of an app have in common. */
export interface ExchangeOptions {
  readonly meter: AnswerMeter;
  readonly policy: AnswerPolicy;
  readonly guard: PipeliningGuard;
}
