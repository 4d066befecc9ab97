import type { DenialLetter } from '../domain/outbox/denial-letter.ts';
import { count, type MetricCells, put } from '../observability/metric-cells.ts';
import type { OutboxCommand, OutboxPage } from '../writer/client/outbox-protocol.ts';
import { denialMail, type Mail } from './denial-mail.ts';
import { notifierMetrics, type OutboxAnswer } from './notifier-protocol.ts';
import type { SendOutcome } from './send-mail.ts';

interface NotifierOptions {
  readonly mailFrom: string;
  readonly baseUrl: string;
  readonly cells: MetricCells;
  readonly retriesFailed: boolean;
  ask(command: OutboxCommand): Promise<OutboxAnswer>;
  send(mail: Mail): Promise<SendOutcome>;
  /**
   * Called before each letter is sent, in a cluster.
   * @returns whether this node is to send it
   */
  begin?(letter: DenialLetter): Promise<boolean>;
  /** How often the outbox is checked without a message that there is something new. */
  readonly lookAtLeastEveryMs?: number;
  /**
   * Called when a letter was not sent, or not to all recipients. The message has no addresses: they are personal data.
   */
  onFault(fault: string, sequence: number): void;
}

const { metrics } = notifierMetrics;
const outcomes = { accepted: 0, postponed: 1, failed: 2 };
/** How long the notifier pauses when the mail server cannot be reached: twice as long each time. */
const pauseMs = { first: 5000, max: 300_000 };
/** How long the notifier waits before it repeats a command for which the writer had no time. */
const askAgainMs = 1000;
/** A stopping notifier repeats a command at most this often. */
const lastAsksMax = 3;
/** How often the outbox is checked without a message that there is something new. */
const lookAtLeastEveryMs = 600_000;

/**
 * Sends the letters of the outbox, one after another. A letter is settled only when the mail server has accepted it, so
 * a process that ends in between sends it again, with the same Message-ID.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #wake = new Wake();
  #isStopping = false;
  #retriesFailed: boolean;
  /**
   * Letters that this process has tried before it retried those of former processes; at most as many as the outbox
   * holds.
   */
  readonly #tried = new Set<number>();
  #pauseMs = 0;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#retriesFailed = options.retriesFailed;
  }

  look(): void {
    this.#wake.call();
  }

  /** Ends `run` after the letter that is being sent. */
  stop(): void {
    this.#isStopping = true;
    this.#wake.call();
  }

  async run(): Promise<void> {
    while (!this.#isStopping) {
      let dueAt = await this.#drain(false);
      // Retries come after the letters that are due: a letter that is refused each time must not delay them.
      if (this.#retriesFailed && this.#pauseMs === 0) dueAt = Math.min(dueAt, await this.#drain(true));
      const atMostMs = this.#options.lookAtLeastEveryMs ?? lookAtLeastEveryMs;
      const waitMs = Math.min(Math.max(dueAt - Date.now(), 0), atMostMs);
      if (this.#pauseMs > 0) await this.#rest(this.#pauseMs);
      else if (!this.#isStopping) await this.#wake.wait(waitMs);
    }
  }

  /**
   * Goes through the whole outbox once.
   * @param retriesFailed also tries the letters that former processes gave up
   * @returns when the next letter is due, in Unix milliseconds
   */
  async #drain(retriesFailed: boolean): Promise<number> {
    let after: number | null = 0;
    let dueAt = Number.POSITIVE_INFINITY;
    let failed = 0;
    while (after !== null && !this.#isStopping) {
      const page: OutboxPage | null = await this.#take(after, retriesFailed);
      if (page === null) return dueAt;
      for (const letter of page.letters) {
        if (this.#isStopping) return dueAt;
        if (retriesFailed && this.#tried.has(letter.sequence)) continue;
        if (this.#retriesFailed) this.#tried.add(letter.sequence);
        dueAt = Math.min(dueAt, await this.#deliver(letter));
        if (this.#pauseMs > 0) return dueAt;
      }
      dueAt = Math.min(dueAt, page.nextAttemptAt ?? dueAt);
      failed += page.failed;
      after = page.after;
    }
    if (retriesFailed) this.#endRetries();
    put(this.#options.cells, metrics.failed, failed);
    return dueAt;
  }

  #endRetries(): void {
    this.#retriesFailed = false;
    this.#tried.clear();
  }

  async #take(after: number, retriesFailed: boolean): Promise<OutboxPage | null> {
    while (!this.#isStopping) {
      const answer = await this.#options.ask({ kind: 'take', after, retriesFailed });
      if (answer.kind === 'letters') return answer.page;
      await this.#rest(askAgainMs);
    }
    return null;
  }

  /** @returns when to check the outbox for it again */
  async #deliver(letter: DenialLetter): Promise<number> {
    const { mailFrom, baseUrl, cells, send, begin } = this.#options;
    if (begin !== undefined && !(await begin(letter))) return Number.POSITIVE_INFINITY;
    const outcome = await send(denialMail(letter, mailFrom, baseUrl));
    this.#pauseMs = nextPause(this.#pauseMs, outcome);
    const command = commandAfter(letter, outcome);
    count(cells, metrics.mails, outcomes[command.kind === 'settled' ? 'accepted' : seriesOf(outcome)]);
    if (command.kind === 'postponed') this.#options.onFault(command.fault, letter.sequence);
    else if (outcome.kind === 'accepted' && outcome.refused.length > 0) {
      const { refused } = outcome;
      this.#options.onFault(
        `the mail server refused ${refused.length} recipients permanently`,
        letter.sequence,
      );
    }
    await this.#record(command);
    // The writer knows when the letter is due again; the next check of the outbox finds it.
    return command.kind === 'settled' ? Number.POSITIVE_INFINITY : Date.now();
  }

  /** No other letter is sent until the outcome is recorded: a sent letter must not be sent again. */
  async #record(command: OutboxCommand): Promise<void> {
    let refusals = 0;
    while (!this.#isStopping || refusals <= lastAsksMax) {
      const answer = await this.#options.ask(command);
      if (answer.kind === 'recorded') return;
      refusals += 1;
      await this.#rest(askAgainMs);
    }
  }

  /** Waits `ms`, even if there is a new letter. Only `stop` cuts it short. */
  async #rest(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (!this.#isStopping && performance.now() < until) await this.#wake.wait(until - performance.now());
  }
}

function nextPause(before: number, outcome: SendOutcome): number {
  if (outcome.kind === 'accepted' || !outcome.isUnreachable) return 0;
  return Math.min(Math.max(before * 2, pauseMs.first), pauseMs.max);
}

function seriesOf(outcome: SendOutcome): 'postponed' | 'failed' {
  return outcome.kind === 'failed' && outcome.isPermanent ? 'failed' : 'postponed';
}

/** The command to the writer after an attempt to send a letter. */
function commandAfter({ sequence, recipients }: DenialLetter, outcome: SendOutcome) {
  if (outcome.kind === 'failed') {
    const { fault, isPermanent } = outcome;
    return { kind: 'postponed', sequence, fault, isPermanent, settledMemberIds: [] } as const;
  }
  if (outcome.postponed.length === 0) return { kind: 'settled', sequence } as const;
  const open = new Set(outcome.postponed);
  const settled = recipients.filter(({ email }) => !open.has(email));
  return {
    kind: 'postponed',
    sequence,
    fault: `the mail server refused ${outcome.postponed.length} of ${recipients.length} recipients for now`,
    isPermanent: false,
    settledMemberIds: settled.map(({ memberId }) => memberId),
  } as const;
}

/** A wait that can be cut short. A call between waits ends the next wait at once. */
class Wake {
  #isCalled = false;
  #end: (() => void) | null = null;

  call(): void {
    this.#isCalled = true;
    this.#end?.();
  }

  /** Resolves after `ms`, or with the call. */
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
