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
  /** A letter was not sent, or not to everybody. Without addresses: they are people's. */
  onFault(fault: string, sequence: number): void;
}

const { metrics } = notifierMetrics;
const outcomes = { accepted: 0, postponed: 1, failed: 2 };
/** How long a mail server that cannot be reached is left alone: twice as long each time. */
const pauseMs = { first: 5000, max: 300_000 };
/** The writer had no time: it is asked again. */
const askAgainMs = 1000;
/** At the end of the service it is asked that often and no more. */
const lastAsksMax = 3;
/** Looked into now and then also when nobody has said that there is something new. */
const lookAtLeastEveryMs = 600_000;

/**
 * Drains the outbox, one letter after another. A letter is settled only once the mail server has accepted it, so a
 * process that ends in between sends it again, under the same Message-ID.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #wake = new Wake();
  #isStopping = false;
  #retriesFailed: boolean;
  /** Tried by this process before it has tried again what former ones gave up; no more than the outbox holds. */
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
      // After those that are due: one that is refused each time must not keep them waiting.
      if (this.#retriesFailed && this.#pauseMs === 0) dueAt = Math.min(dueAt, await this.#drain(true));
      const waitMs = Math.min(Math.max(dueAt - Date.now(), 0), lookAtLeastEveryMs);
      if (this.#pauseMs > 0) await this.#rest(this.#pauseMs);
      else if (!this.#isStopping) await this.#wake.wait(waitMs);
    }
  }

  /**
   * Goes through the whole outbox once.
   * @param retriesFailed also those that former processes gave up
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

  /** @returns when to look again for it */
  async #deliver(letter: DenialLetter): Promise<number> {
    const { mailFrom, baseUrl, cells, send } = this.#options;
    const outcome = await send(denialMail(letter, mailFrom, baseUrl));
    this.#pauseMs = nextPause(this.#pauseMs, outcome);
    const command = commandAfter(letter, outcome);
    count(cells, metrics.mails, outcomes[command.kind === 'settled' ? 'accepted' : seriesOf(outcome)]);
    if (command.kind === 'postponed') this.#options.onFault(command.fault, letter.sequence);
    else if (outcome.kind === 'accepted' && outcome.refused.length > 0) {
      const { refused } = outcome;
      this.#options.onFault(`${refused.length} recipients were refused for good`, letter.sequence);
    }
    await this.#record(command);
    // The writer knows when; a look soon after finds it.
    return command.kind === 'settled' ? Number.POSITIVE_INFINITY : Date.now();
  }

  /** Until it is recorded nothing else is sent: what was sent must not be sent again. */
  async #record(command: OutboxCommand): Promise<void> {
    let refusals = 0;
    while (!this.#isStopping || refusals <= lastAsksMax) {
      const answer = await this.#options.ask(command);
      if (answer.kind === 'recorded') return;
      refusals += 1;
      await this.#rest(askAgainMs);
    }
  }

  /** Waits for so long, whatever is new; only the end of the service cuts it short. */
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

/** What the writer is told about a letter. */
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
    fault: `${outcome.postponed.length} of ${recipients.length} recipients were refused for now`,
    isPermanent: false,
    settledMemberIds: settled.map(({ memberId }) => memberId),
  } as const;
}

/** Waits that can be cut short. A call that finds nobody waiting ends the next wait at once. */
class Wake {
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
