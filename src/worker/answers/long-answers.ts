import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { Holder } from '../evaluation/pin-room.ts';
import { type LongAnswer, Sending, type SendingHooks } from './long-answer.ts';
import type { LongAnswerPlace, LongAnswerRoom } from './long-answer-room.ts';

export interface LongAnswersOptions {
  readonly room: LongAnswerRoom;
  /** An answer that has not begun so long after it was asked for is refused. */
  readonly deadlineMs: number;
  /** Receives how long each step took, in milliseconds. */
  onStep(ms: number): void;
  /** There was no place for an answer. */
  onRefused(): void;
}

/** How long an answer is worked on when it is asked for: a short one is complete by then. */
const firstSliceMs = 0.25;
/**
 * Long answers are worked on for this long between two polls of the sockets, which is less than a request takes through
 * the machine; or for this share of what a longer turn has taken.
 */
const sliceMs = 0.1;
const turnShare = 0.5;
/** When requests come faster than they can be refused, long answers still get up to this much of each turn. */
const slicesMsMax = 2;
/**
 * Steps that an answer makes when it is asked for, even if other threads had the processor meanwhile: a short one is
 * complete by then.
 */
const firstSteps = 4;
/** Answers that are made as soon as they are asked for take at most this much of a turn of the event loop. */
const atOnceMsMax = 1;
/**
 * A long answer's snapshot keeps pages from being reused, so the file grows: a client that is slower than this is cut
 * off.
 */
const answerAgeMaxMs = 30_000;
/** How often the answers are searched for those that are too old or past their deadline. */
const lookIntervalMs = 50;
/** Holders whose last turns are remembered. */
const turnsMax = 4096;

/** The holder whose turn a slice is: the organisation, or where there is none, the project, asker or address. */
function turnKey(holder: Holder): string | null {
  return holder.organisation ?? holder.project ?? holder.asker ?? holder.address;
}

/** The long answers of a worker: each turn of its event loop works on one slice, of one holder after the other. */
export class LongAnswers {
  readonly #options: LongAnswersOptions;
  readonly #hooks: SendingHooks;
  /** Searches for answers that are too old or past their deadline, while there are any. */
  #looking: NodeJS.Timeout | null = null;
  /** In the order of arrival. */
  readonly #sending = new Set<Sending>();
  /** Answers that can go on, by holder; of one holder, the one that has waited longest comes first. */
  readonly #queues = new Map<string | null, Sending[]>();
  /** Of each holder with answers on their way: the number of its last turn. */
  readonly #turns = new Map<string | null, number>();
  #turn = 0;
  #atOnceMs = 0;
  #isScheduled = false;
  #scheduledAt = 0;
  constructor(options: LongAnswersOptions) {
    this.#options = options;
    this.#hooks = {
      onRunnable: (sending) => this.#queue(sending),
      onOver: (sending) => this.#forget(sending),
      seat: (sending, holder) => this.#seat(sending, holder),
      resize: (sending, place) => this.#resize(sending, place),
      leave: (place) => options.room.give(place),
    };
  }

  get count(): number {
    return this.#sending.size;
  }

  /**
   * Takes an answer. A short one is made at once, if the turn has time for it and no earlier answer of its holder
   * waits.
   */
  send(answer: LongAnswer): void {
    const sending = new Sending(answer, this.#hooks);
    this.#add(sending);
    if (this.#mayRunAtOnce(sending.holder)) {
      const startedAt = monotonicMs();
      this.#atOnceMs += this.#run(sending, startedAt, startedAt + firstSliceMs, firstSteps);
      this.#schedule();
    }
    if (sending.requirePlace() && sending.isRunnable) this.#queue(sending);
  }

  #mayRunAtOnce(holder: Holder): boolean {
    if (this.#atOnceMs >= atOnceMsMax) return false;
    if (this.#queues.size === 0) return true;
    const queue = this.#queues.get(turnKey(holder));
    return queue === undefined || !queue.some(({ isWaiting }) => isWaiting);
  }

  #queue(sending: Sending): void {
    const key = turnKey(sending.holder);
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [sending]);
    else queue.push(sending);
    this.#schedule();
  }

  #add(sending: Sending): void {
    this.#sending.add(sending);
    // An idle thread sleeps.
    this.#looking ??= setTimeout(() => this.#endOld(), lookIntervalMs).unref();
  }

  #forget(sending: Sending): void {
    this.#sending.delete(sending);
    if (this.#sending.size === 0 || this.#turns.size > turnsMax) this.#turns.clear();
  }

  #seat(sending: Sending, holder: Holder): LongAnswerPlace | null {
    const { room, onRefused } = this.#options;
    const place = room.take(holder, { bytes: sending.heldBytes, isPinned: sending.answer.isPinned });
    if (place === null) onRefused();
    return place;
  }

  #resize(sending: Sending, place: LongAnswerPlace): boolean {
    const isResized = this.#options.room.resize(place, sending.heldBytes);
    if (!isResized) this.#options.onRefused();
    return isResized;
  }

  /** @returns how long it took, in milliseconds */
  #run(sending: Sending, startedAt: number, untilMs: number, stepsMin = 1): number {
    sending.run(untilMs, stepsMin);
    const tookMs = monotonicMs() - startedAt;
    this.#options.onStep(tookMs);
    return tookMs;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#scheduledAt = monotonicMs();
    setImmediate(() => this.#turnOver());
  }

  #turnOver(): void {
    this.#isScheduled = false;
    this.#atOnceMs = 0;
    const startedAt = monotonicMs();
    const untilMs = startedAt + Math.min(slicesMsMax, (startedAt - this.#scheduledAt) * turnShare);
    do this.#runNext();
    while (this.#queues.size > 0 && monotonicMs() < untilMs);
    if (this.#queues.size > 0) this.#schedule();
  }

  /** Gives a slice to the holder that had one longest ago: as many of its answers as fit into the slice are made. */
  #runNext(): void {
    let key: string | null = null;
    let queue: Sending[] | undefined;
    for (const [one, waiting] of this.#queues) {
      if (queue !== undefined && this.#turnOf(one) >= this.#turnOf(key)) continue;
      key = one;
      queue = waiting;
    }
    if (queue === undefined) return;
    this.#turn += 1;
    this.#turns.set(key, this.#turn);
    const untilMs = monotonicMs() + sliceMs;
    const queued = this.#runSlice(queue, untilMs);
    if (queued === 0) this.#queues.delete(key);
  }

  /** @returns how many wait after it */
  #runSlice(queue: Sending[], untilMs: number): number {
    for (let now = monotonicMs(); now < untilMs; ) {
      const next = queue.shift();
      if (next === undefined) return 0;
      if (!next.isRunnable || this.#refuseLate(next, now)) continue;
      now += this.#run(next, now, untilMs);
      if (next.isRunnable) queue.push(next);
    }
    return queue.length;
  }

  /** The number of the turn in which its holder had a slice. */
  #turnOf(key: string | null): number {
    return this.#turns.get(key) ?? 0;
  }

  /** Refuses an answer whose client no longer waits for it. @returns whether it was refused */
  #refuseLate(sending: Sending, now: number): boolean {
    const { answer, startedAt } = sending;
    const waitedMs = now - (answer.askedAt ?? startedAt);
    if (!sending.mayBeRefused || waitedMs < this.#options.deadlineMs) return false;
    sending.cut('it had to wait for longer than requests may');
    return true;
  }

  #endOld(): void {
    this.#looking = null;
    const now = monotonicMs();
    for (const sending of this.#sending) {
      if (this.#refuseLate(sending, now)) continue;
      if (now - sending.startedAt > answerAgeMaxMs) sending.cut('its client took too long to read it');
    }
    if (this.#sending.size > 0) this.#looking = setTimeout(() => this.#endOld(), lookIntervalMs).unref();
  }

  /** Cuts every answer and gives back what it was read from. */
  close(): void {
    if (this.#looking !== null) clearTimeout(this.#looking);
    for (const sending of this.#sending) sending.cut('the service stops');
  }
}
