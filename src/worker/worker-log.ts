import type { TokenUse } from '../domain/token/token-use.ts';
import { type Logger, type LogRequest, requestText } from '../observability/logger.ts';
import { createThreadLog, LogSender } from '../observability/thread-log.ts';
import { tokenUseOf, type UsedBy } from './token-use-of.ts';
import type { WorkerMessage, WorkerSetup } from './worker-protocol.ts';

/** The most uses of tokens in one message. */
const usesOfMessage = 100;

/**
 * Sends a worker's log lines and token uses to the main thread. Those of some milliseconds go in one message, because a
 * message costs as much as a request. A line of another kind is sent at once, after the gathered ones.
 */
export class WorkerLog {
  readonly log: Logger;
  readonly #tell: (message: WorkerMessage) => void;
  readonly #gathered: GatheredLines;
  #uses: TokenUse[] = [];

  constructor(
    setup: Pick<WorkerSetup, 'logMemory' | 'logLevel' | 'index'>,
    tell: (message: WorkerMessage) => void,
  ) {
    this.#tell = tell;
    const sender = new LogSender(setup.logMemory, (lines) => tell({ kind: 'log', lines }));
    this.#gathered = new GatheredLines((lines) => {
      if (lines !== '') sender.write(lines);
      this.#tellUses();
    });
    const inOrder = new LogSender(setup.logMemory, (lines) => {
      this.#gathered.handOn();
      tell({ kind: 'log', lines });
    });
    this.log = createThreadLog(setup.logLevel, inOrder).child({ actor: 'worker', index: setup.index });
  }

  /** Gathers the log line of a request. */
  logRequest: LogRequest = (line) => {
    if (this.log.isLevelEnabled('info')) this.#gathered.write(requestText(line));
  };

  noteTokenUse = (used: UsedBy, status: number, tokenId: string): void => {
    const use = tokenUseOf(used, status, tokenId, Date.now());
    if (use === null) return;
    this.#uses.push(use);
    if (this.#uses.length >= usesOfMessage) this.#tellUses();
    else this.#gathered.touch();
  };

  #tellUses(): void {
    if (this.#uses.length === 0) return;
    const uses = this.#uses;
    this.#uses = [];
    this.#tell({ kind: 'used', uses });
  }

  /** Logs a fault that no answer reports. */
  tell(fault: unknown): void {
    this.log.error({ err: fault }, 'a worker could not leave in order');
  }

  flush(): void {
    this.#gathered.handOn();
  }
}

/** Characters in one message: some seventy lines of requests. */
const gatheredCharactersMax = 16 * 1024;
/** How old a line may become before it is sent. */
const gatheredAgeMaxMs = 100;

/**
 * A destination of log lines that sends several at once: a message to the thread that writes the log costs some 50 µs
 * on both sides, as much as a whole request. The gathered lines are bounded in size and age, and sent before any line
 * that does not wait.
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

  /** Another message waits to be sent with the lines. */
  touch(): void {
    this.#timer ??= setTimeout(() => this.handOn(), gatheredAgeMaxMs).unref();
  }

  /** Sends the gathered lines. */
  handOn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#lines;
    this.#lines = '';
    this.#handOn(lines);
  }
}
