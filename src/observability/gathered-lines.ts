/** Characters that are handed on as one piece: some seventy lines of requests. */
const gatheredCharactersMax = 16 * 1024;
/** How old a line may become before it is handed on. */
const gatheredAgeMaxMs = 100;

/**
 * A destination of log lines that hands them on together: a message to the thread that writes the log costs some 50 µs on
 * both sides, as much as a whole request. What is gathered is bounded in size and age, and goes on
 * before any line that does not wait.
 */
export class GatheredLines {
  readonly #handOn: (lines: string) => void;
  #lines = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(handOn: (lines: string) => void) {
    this.#handOn = handOn;
  }

  /** @param line with its line feed */
  write(line: string): void {
    this.#lines += line;
    if (this.#lines.length >= gatheredCharactersMax) this.handOn();
    else this.touch();
  }

  /** Something else waits to be handed on with the lines. */
  touch(): void {
    this.#timer ??= setTimeout(() => this.handOn(), gatheredAgeMaxMs).unref();
  }

  /** Hands on what was gathered. */
  handOn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = '';
    this.#handOn(lines);
  }
}
