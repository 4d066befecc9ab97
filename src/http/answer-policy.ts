/** Answers that sockets have not taken whole: what of them all connections together may make the service keep. */
export interface UnsentAnswers {
  /** @returns false: there is no room. `give` must follow. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** What a thread's answers have in common. */
export interface AnswerPolicy {
  /**
   * Asked for each answer, until it says yes: whether it is to close its connection, so that the client goes elsewhere. A
   * worker may have so many of these to give.
   */
  mustClose(): boolean;
  readonly unsent: UnsentAnswers;
}
