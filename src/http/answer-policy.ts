/** Large answers that sockets have not taken whole: what of them all connections together may make the service keep. */
export interface UnsentAnswers {
  /** @returns false: there is no room. One answer always has room; `give` must follow. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** What a thread's answers have in common. */
export interface AnswerPolicy {
  /** Asked for each answer: whether it is to close its connection, so that the client goes elsewhere. */
  mustClose(): boolean;
  readonly unsent: UnsentAnswers;
}
