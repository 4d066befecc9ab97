/** Runs one request at a time, in the order of arrival. */
export class OperatorTurns {
  /** Requests that wait, and the one that runs. */
  asked = 0;
  #last: Promise<void> = Promise.resolve();

  /** Runs the request when all earlier ones are done, however they end. */
  take(run: () => Promise<void>): Promise<void> {
    this.asked += 1;
    const turn = this.#last.then(run).finally(() => {
      this.asked -= 1;
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
