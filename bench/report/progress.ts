import type { ComparisonStep } from '../run-comparison.ts';

/** The part of `process.stderr` that progress uses. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const barChars = 20;
const eraseLine = '\r\x1b[K';
const columnsDefault = 80;

/** @returns `40 s`, `3 min 20 s` */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const rest = whole % 60;
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
}

function bar(done: number, total: number): string {
  const full = Math.floor((barChars * done) / total);
  return `[${'#'.repeat(full)}${'-'.repeat(barChars - full)}]`;
}

/**
 * Shows a run's progress on standard error: on a terminal one line that is redrawn, otherwise a line for each round.
 * The time left is that of the comparison. Only the scenario knows how many comparisons follow.
 */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #now: () => number;
  #scenario = '';
  #startedAtMs = 0;
  #isDrawn = false;

  /** @param now a clock in ms */
  constructor(stream: ProgressStream, now: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#now = now;
  }

  /** @param position of the scenario in the run, from 1 */
  beginScenario(name: string, position: number, count: number): void {
    this.#scenario = count === 1 ? name : `${name} (${position} of ${count})`;
    this.#show(`${this.#scenario}: starting`);
  }

  /** @param secondsUnlessMeasured how long a measurement is expected to take, until one has been timed */
  step({ comparison, contender, round, rounds, done, total }: ComparisonStep, secondsUnlessMeasured: number) {
    const now = this.#now();
    if (done === 0) this.#startedAtMs = now;
    const each = done === 0 ? secondsUnlessMeasured : (now - this.#startedAtMs) / 1000 / done;
    const left = `about ${formatDuration(each * (total - done))} left of it`;
    const where = round === 0 ? 'warming up' : `round ${round} of ${rounds}`;
    if (this.#stream.isTTY === true) {
      this.#show(`${this.#scenario} ${bar(done, total)} ${comparison}, ${where}: ${contender}, ${left}`);
    } else if (this.#isNewRound(round, done)) {
      this.#show(`${this.#scenario}: ${comparison}, ${where}, ${left}`);
    }
  }

  /** Announces slow work outside the rounds. */
  note(text: string): void {
    this.#show(`${this.#scenario}: ${text}`);
  }

  /** Clears the line for other output. */
  clear(): void {
    if (this.#isDrawn) this.#stream.write(eraseLine);
    this.#isDrawn = false;
  }

  #lastRound = -1;
  #isNewRound(round: number, done: number): boolean {
    const isNew = done === 0 || round !== this.#lastRound;
    this.#lastRound = round;
    return isNew;
  }

  #show(text: string): void {
    if (this.#stream.isTTY !== true) {
      this.#stream.write(`${text}\n`);
      return;
    }
    const columns = this.#stream.columns ?? columnsDefault;
    this.#stream.write(`${eraseLine}${text.slice(0, columns - 1)}`);
    this.#isDrawn = true;
  }
}
