/** The memory that all connections together may keep for answers that sockets have not taken whole. */
export interface UnsentAnswers {
  /** @returns false: there is no room. `give` must follow. */
  take(bytes: number): boolean;
  give(bytes: number): void;
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
