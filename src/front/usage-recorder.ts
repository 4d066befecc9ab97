import { within } from '../support/within.ts';
import type { WriterClient } from '../writer/writer-client.ts';
import type { Usage } from '../writer/writer-protocol.ts';
import { EvaluationCounts } from './evaluation-counts.ts';
import { TokenUses } from './token-uses.ts';

/** How far the record is behind what happens. */
const flushIntervalMs = 2000;
/** How long the end of the service waits for the last record. */
const lastFlushTimeoutMs = 1500;
/** Counts of one command: adding them takes the writer a few milliseconds. */
const countsOfCommand = 200;

/**
 * Records what is counted in memory: every few seconds, in commands to the writer, and once more at the end. Reads,
 * evaluations and changes never wait for it.
 */
export class UsageRecorder {
  readonly tokenUses: TokenUses;
  readonly evaluationCounts: EvaluationCounts;
  readonly #writer: WriterClient;
  /** Evaluations that were answered, and that the console will not show. */
  uncountedEvaluations = 0;
  /** Answered requests that no token's activity will show. */
  uncountedTokenUses = 0;
  readonly #onFault: (fault: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> | null = null;

  constructor(writer: WriterClient, onFault: (fault: unknown) => void) {
    this.#writer = writer;
    this.tokenUses = new TokenUses((uses) => {
      this.uncountedTokenUses += uses;
    });
    this.evaluationCounts = new EvaluationCounts((evaluations) => {
      this.uncountedEvaluations += evaluations;
    });
    this.#onFault = onFault;
    this.#timer = setInterval(() => this.#begin(), flushIntervalMs).unref();
  }

  /** Records what is left. Call it when nothing is counted any more, and before the writer stops. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const last = async (): Promise<void> => {
      await this.#flushing;
      await this.#flush();
    };
    await within(lastFlushTimeoutMs, last()).catch(this.#onFault);
  }

  /** One flush at a time: while the writer is slow, more is counted in the same entries. */
  #begin(): void {
    if (this.#flushing !== null) return;
    this.#flushing = this.#flush()
      .catch(this.#onFault)
      .finally(() => {
        this.#flushing = null;
      });
  }

  /** One command after another until nothing is left, or one was not carried out. */
  async #flush(): Promise<void> {
    while (!this.tokenUses.isEmpty || !this.evaluationCounts.isEmpty) {
      const usage = { uses: this.tokenUses.take(), counts: this.evaluationCounts.take(countsOfCommand) };
      if (!(await this.#record(usage))) return;
    }
  }

  /** @returns whether it is recorded */
  async #record(usage: Usage): Promise<boolean> {
    const outcome = await this.#writer.recordUsage(usage);
    if (outcome.kind === 'recorded') return true;
    // What failed would fail again; what the writer had no time or room for comes later.
    if (outcome.kind === 'failed') {
      this.uncountedTokenUses += usage.uses.reduce((sum, { count }) => sum + count, 0);
      this.uncountedEvaluations += usage.counts.reduce((sum, { on, off }) => sum + on + off, 0);
      this.#onFault(new Error(outcome.message));
    } else {
      this.tokenUses.putBack(usage.uses);
      this.evaluationCounts.putBack(usage.counts);
    }
    return false;
  }
}
