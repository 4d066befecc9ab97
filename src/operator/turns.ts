/** Lets one at a time, in the order of asking. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #asked = 0;

  /** Those who wait, and the one whose turn it is. */
  get asked(): number {
    return this.#asked;
  }

  /** Runs when all who asked before are done, however they end. */
  take<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#asked += 1;
    const turn = this.#last.then(run, run).finally(() => {
      this.#asked -= 1;
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
