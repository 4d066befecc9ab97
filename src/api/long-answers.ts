import type { RefusedShare } from '../evaluator/evaluation-metrics-protocol.ts';
import type { Holder } from '../evaluator/pin-room.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import { sliceBudgetMs } from '../support/slice-budget.ts';
import { type LongAnswer, type LongAnswerPlace, Sending } from './long-answer.ts';

/** What of the process' bounds one answer takes. */
export interface LongAnswerRoom {
  /** @returns a place; or whose share of them is used up */
  take(holder: Holder, isPinned: boolean): LongAnswerPlace | RefusedShare;
}

export interface LongAnswersOptions {
  readonly room: LongAnswerRoom;
  /** Told how long each step took, in milliseconds. */
  onStep(ms: number): void;
  /** An answer found no place. */
  onRefused(share: RefusedShare): void;
  /** An answer was cut, because another one needed its place and its client did not read. */
  onDisplaced(): void;
}

/** How long an answer works when it is asked for: a short one is whole by then. */
const firstSliceMs = 0.25;
/** Answers that are made as soon as they are asked for take this long of a turn of the event loop at most. */
const atOnceMsMax = 1;
/** A long answer's snapshot pins pages, and the file grows: a client that is slower than this is cut off. */
const answerAgeMaxMs = 30_000;
const cutIntervalMs = 1000;
/** Holders whose last slices are known. */
const turnsMax = 4096;
/** A client that has taken nothing for so long may lose its place to another one. */
const unreadMs = 1000;

/** Whose turn a slice is: a project's, or where there is none, its asker's or address's. */
function turnKey({ holder }: Sending): string | null {
  return holder === null ? null : (holder.project ?? holder.asker ?? holder.address);
}

/** The long answers of a worker: each turn of its event loop makes one slice, of one holder after the other. */
export class LongAnswers {
  readonly #options: LongAnswersOptions;
  readonly #cutting: NodeJS.Timeout;
  #sending: Sending[] = [];
  /** Of each holder with answers on their way: its last slice. */
  readonly #turns = new Map<string | null, number>();
  #turn = 0;
  #atOnceMs = 0;
  #isScheduled = false;
  /** When the last slice was over. */
  #slicedAt = 0;

  constructor(options: LongAnswersOptions) {
    this.#options = options;
    this.#cutting = setInterval(() => this.#cutOld(), cutIntervalMs).unref();
  }

  get count(): number {
    return this.#sending.length;
  }

  /** Takes an answer. A short one is made at once, if the turn has time for it. */
  send(answer: LongAnswer): void {
    const hooks = {
      onChange: () => this.#schedule(),
      seat: (one: Sending, holder: Holder) => this.#seat(one, holder),
    };
    const sending = new Sending(answer, hooks);
    this.#sending.push(sending);
    if (this.#atOnceMs < atOnceMsMax) this.#atOnceMs += this.#run(sending, firstSliceMs);
    sending.requirePlace();
    this.#sweep();
    this.#schedule();
  }

  /** Where there is no place, the client that has read nothing for longest makes room for one that shares it. */
  #seat({ answer: { isPinned } }: Sending, holder: Holder): LongAnswerPlace | null {
    const { room, onRefused, onDisplaced } = this.#options;
    const place = room.take(holder, isPinned);
    if (typeof place !== 'string') return place;
    const unread = this.#longestUnread(holder, place);
    if (unread !== undefined) {
      onDisplaced();
      unread.cut('its client did not read it, and others need its place');
      const next = room.take(holder, isPinned);
      if (typeof next !== 'string') return next;
    }
    onRefused(place);
    return null;
  }

  /** @param share of the holder which is used up: whoever shares that may be cut */
  #longestUnread(holder: Holder, share: RefusedShare): Sending | undefined {
    const since = monotonicMs() - unreadMs;
    let longest: Sending | undefined;
    for (const sending of this.#sending) {
      if (share !== 'all' && sending.holder?.[share] !== holder[share]) continue;
      if ((sending.behindSince ?? since) >= (longest?.behindSince ?? since)) continue;
      longest = sending;
    }
    return longest;
  }

  /** @returns how long it took, in milliseconds */
  #run(sending: Sending, budgetMs: number): number {
    const startedAt = monotonicMs();
    sending.run(startedAt + budgetMs);
    this.#slicedAt = monotonicMs();
    const tookMs = this.#slicedAt - startedAt;
    this.#options.onStep(tookMs);
    this.#sweep();
    return tookMs;
  }

  #schedule(): void {
    if (this.#isScheduled || (this.#sending.length === 0 && this.#atOnceMs === 0)) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#atOnceMs = 0;
      this.#runNext();
    });
  }

  /** Gives an answer a slice: of that holder, of those that can go on, which had one longest ago. */
  #runNext(): void {
    this.#sweep();
    let next: Sending | undefined;
    for (const sending of this.#sending) {
      if (!sending.isRunnable) continue;
      if (next === undefined || this.#turnOf(sending) < this.#turnOf(next)) next = sending;
    }
    if (next === undefined) return;
    this.#sending = [...this.#sending.filter((other) => other !== next), next];
    this.#turn += 1;
    this.#turns.set(turnKey(next), this.#turn);
    this.#run(next, sliceBudgetMs(monotonicMs() - this.#slicedAt));
    this.#schedule();
  }

  /** When its holder had a slice, the later the higher. */
  #turnOf(sending: Sending): number {
    return this.#turns.get(turnKey(sending)) ?? 0;
  }

  #cutOld(): void {
    const now = monotonicMs();
    for (const sending of [...this.#sending]) {
      if (now - sending.startedAt > answerAgeMaxMs) sending.cut('its client took too long to read it');
    }
    this.#sweep();
  }

  #sweep(): void {
    this.#sending = this.#sending.filter(({ isOver }) => !isOver);
    if (this.#sending.length === 0 || this.#turns.size > turnsMax) this.#turns.clear();
  }

  /** Cuts every answer and lets go of what it was read from. */
  close(): void {
    clearInterval(this.#cutting);
    for (const sending of this.#sending) sending.cut('the service stops');
    this.#sweep();
  }
}
