import type { ApplyPhase, ApplyProgress } from '../operator/operator-protocol.ts';
import { describeShare, ProgressLine, type ProgressOutput } from './progress-line.ts';

const words: Readonly<Record<ApplyPhase, readonly [verb: string, unit: string]>> = {
  receive: ['sent', 'MiB'],
  check: ['checked', 'flags'],
  write: ['written', 'flags'],
};
/** Whatever is smaller is over before anybody could read of it. */
const flagsWorthTelling = 1000;

/** Shows how far an `apply` has come. */
export class ApplyProgressLines {
  readonly #line: ProgressLine;

  constructor(output: ProgressOutput) {
    this.#line = new ProgressLine(output);
  }

  readonly report: ApplyProgress = (phase, done, total) => {
    const isOver = done >= total && phase !== 'receive' && total >= flagsWorthTelling;
    this.#line.report(() => describe(phase, done, total), isOver);
  };

  /** Before anything else is written to the same output. */
  end(): void {
    this.#line.end();
  }
}

function describe(phase: ApplyPhase, done: number, total: number): string {
  const [verb, unit] = words[phase];
  const scale = phase === 'receive' ? 2 ** 20 : 1;
  return describeShare(verb, done / scale, total / scale, unit);
}
