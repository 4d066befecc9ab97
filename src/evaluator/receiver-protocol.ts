import type { EvaluatorAnswerHead } from './evaluator-protocol.ts';

/** Whoever waits for the evaluation of one flag. Exactly one of the three is called, once. */
export interface EvaluationReceiver {
  /** @param body a view of shared memory that is valid during the call only */
  receiveEvaluation(status: number, body: Uint8Array): void;
  receiveUnavailable(detail: string): void;
  /** It failed unexpectedly, and the log has it. */
  receiveFailure(): void;
}

/** Whoever waits for an answer of any length. */
export interface ChunkReceiver {
  /** The first chunk has the head. */
  receiveChunk(head: EvaluatorAnswerHead | null, bytes: Uint8Array, isLast: boolean): void;
  /** The answer ends here, incomplete. */
  receiveCut(reason: string): void;
  /** Instead of a first chunk. */
  receiveUnavailable(detail: string): void;
  /** Instead of a first chunk: it failed unexpectedly, and the log has it. */
  receiveFailure(): void;
}
