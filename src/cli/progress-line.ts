const intervalMs = { terminal: 100, lines: 1000 };

export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Shows progress: on a terminal in one line that is rewritten, elsewhere in a line each time. */
export class ProgressLine {
  readonly #output: ProgressOutput;
  #shownAt: number;
  #isLineOpen = false;
  #shown = '';

  constructor(output: ProgressOutput) {
    this.#output = output;
    this.#shownAt = Date.now();
  }

  /** @param isWorthIt shows the text even if another was shown just now. */
  report(text: () => string, isWorthIt = false): void {
    const now = Date.now();
    const interval = this.#output.isTTY ? intervalMs.terminal : intervalMs.lines;
    if (!isWorthIt && now - this.#shownAt < interval) return;
    this.#shownAt = now;
    this.#show(text());
  }

  /** Progress of a file that is being copied. */
  reportCopied(bytesDone: number, bytes: number): void {
    this.report(() => describeShare('copied', bytesDone / 2 ** 20, bytes / 2 ** 20, 'MiB'));
  }

  /** Ends the line. Call it before anything else is written to the same output. */
  end(): void {
    if (this.#isLineOpen) this.#output.write('\n');
    this.#isLineOpen = false;
  }

  #show(text: string): void {
    if (text === this.#shown) return;
    this.#shown = text;
    if (!this.#output.isTTY) {
      this.#output.write(`${text}\n`);
      return;
    }
    this.#output.write(`\r${text}\u001B[K`);
    this.#isLineOpen = true;
  }
}

/** @returns for example `copied 12 of 40 MiB (30 %)`. */
export function describeShare(verb: string, done: number, total: number, unit: string): string {
  const number = (count: number): string => Math.round(count).toLocaleString('en');
  const percent = total === 0 ? 100 : Math.min(100, Math.floor((100 * done) / total));
  return `${verb} ${number(done)} of ${number(total)} ${unit} (${percent} %)`;
}
