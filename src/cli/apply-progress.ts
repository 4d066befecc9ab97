import type { ApplyPhase, ApplyProgress } from '../operator/apply-outcome.ts';

const words: Readonly<Record<ApplyPhase, readonly [verb: string, unit: string]>> = {
  receive: ['sent', 'MiB'],
  check: ['checked', 'flags'],
  write: ['written', 'flags'],
};
const intervalMs = { terminal: 100, lines: 1000 };
/** Whatever is smaller is over before anybody could read of it. */
const flagsWorthTelling = 1000;

interface Output {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Shows how far an `apply` has come: on a terminal in one line that is rewritten, elsewhere in lines of their own. */
export class ApplyProgressLines {
  readonly #output: Output;
  #shownAt: number;
  #isLineOpen = false;
  #shown = '';

  constructor(output: Output) {
    this.#output = output;
    this.#shownAt = Date.now();
  }

  readonly report: ApplyProgress = (phase, done, total) => {
    const now = Date.now();
    const isOver = done >= total && phase !== 'receive' && total >= flagsWorthTelling;
    const interval = this.#output.isTTY ? intervalMs.terminal : intervalMs.lines;
    if (!isOver && now - this.#shownAt < interval) return;
    this.#shownAt = now;
    this.#show(describe(phase, done, total));
  };

  /** Before anything else is written to the same output. */
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

function describe(phase: ApplyPhase, done: number, total: number): string {
  const [verb, unit] = words[phase];
  const scale = phase === 'receive' ? 2 ** 20 : 1;
  const number = (count: number): string => Math.round(count / scale).toLocaleString('en');
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
  return `${verb} ${number(done)} of ${number(total)} ${unit} (${percent} %)`;
}
