/** Waits that can be cut short. A call that finds nobody waiting ends the next wait at once. */
export class Wake {
  #isCalled = false;
  #end: (() => void) | null = null;

  call(): void {
    this.#isCalled = true;
    this.#end?.();
  }

  /** Ends after so many milliseconds, or with the call. */
  async wait(ms: number): Promise<void> {
    if (!this.#isCalled) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#end = null;
    this.#isCalled = false;
  }
}
