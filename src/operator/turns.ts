/** Lets one at a time, in the order of asking. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs when all who asked before are done, however they end. */
  take<Result>(run: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(run, run);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
