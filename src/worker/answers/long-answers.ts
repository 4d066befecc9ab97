import { monotonicMs } from '../../support/monotonic-clock.ts';
import { type RefusedShare, refusedShares } from '../evaluation/evaluation-metrics-protocol.ts';
import type { Holder } from '../evaluation/pin-room.ts';
import { type LongAnswer, type LongAnswerPlace, Sending, type SendingHooks } from './long-answer.ts';

/** What an answer needs of the room. */
export interface LongAnswerNeeds {
  /** Kept in memory for it. */
  readonly bytes: number;
  readonly isPinned: boolean;
}

/** What of the process' bounds one answer takes. */
export interface LongAnswerRoom {
  /** @returns a place; or whose share of them is used up */
  take(holder: Holder, needs: LongAnswerNeeds): LongAnswerPlace | RefusedShare;
  /** Whether it would get a place if another one were given back. */
  wouldTake(holder: Holder, needs: LongAnswerNeeds, without: LongAnswerPlace): boolean;
  /** So much is kept for it from now on. @returns null; or whose share of that is used up, and nothing has changed */
  resize(place: LongAnswerPlace, bytes: number): RefusedShare | null;
  give(place: LongAnswerPlace): void;
}

export interface LongAnswersOptions {
  readonly room: LongAnswerRoom;
  /** What has not begun so long after it was asked for is refused. */
  readonly deadlineMs: number;
  /** Told how long each step took, in milliseconds. */
  onStep(ms: number): void;
  /** An answer found no place. */
  onRefused(share: RefusedShare): void;
  /** An answer was cut, because another one needed its place and its client did not read. */
  onDisplaced(): void;
}

/** How long an answer works when it is asked for: a short one is whole by then. */
const firstSliceMs = 0.25;
/**
 * Long answers work this long between two looks at the sockets, less than a request's own way through the machine takes, or
 * for this share of what a longer turn has taken.
 */
const sliceMs = 0.1;
const turnShare = 0.5;
/** Where requests come faster than they can be refused, as much is still answered as in so long of each turn. */
const slicesMsMax = 2;
/** Steps that it makes then, however long others had the processor meanwhile: a short one is whole by then. */
const firstSteps = 4;
/** Answers that are made as soon as they are asked for take this long of a turn of the event loop at most. */
const atOnceMsMax = 1;
/** A long answer's snapshot pins pages, and the file grows: a client that is slower than this is cut off. */
const answerAgeMaxMs = 30_000;
/** How often it is looked for answers that are too old, or late. */
const lookIntervalMs = 50;
/** Holders whose last slices are known. */
const turnsMax = 4096;
/** A client that has taken nothing for so long may lose its place to another one. */
const unreadMs = 1000;
/** So many of them are looked at for one whose place would do. */
const displacedLooks = 16;

/** Whose turn a slice is: an organisation's, or where there is none, its project's, asker's or address's. */
function turnKey({ holder }: Sending): string | null {
  return holder.organisation ?? holder.project ?? holder.asker ?? holder.address;
}

function shareKey(share: RefusedShare, holder: Holder): string {
  return share === 'all' ? share : `${share} ${holder[share]}`;
}

/** The long answers of a worker: each turn of its event loop makes one slice, of one holder after the other. */
export class LongAnswers {
  readonly #options: LongAnswersOptions;
  readonly #hooks: SendingHooks;
  /** Looks for answers that are too old, or late, while there are any. */
  #looking: NodeJS.Timeout | null = null;
  /** In the order of arrival. */
  readonly #sending = new Set<Sending>();
  /** Those that can go on, by holder: of one holder, who has waited longest comes first. */
  readonly #queues = new Map<string | null, Sending[]>();
  /** Of each holder with answers on their way: its last slice. */
  readonly #turns = new Map<string | null, number>();
  #turn = 0;
  #atOnceMs = 0;
  #isScheduled = false;
  #scheduledAt = 0;
  /** Shares that were found used up in this turn: who comes later in it is refused without a look at all places. */
  readonly #usedUp = new Set<string>();

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

  /** Takes an answer. A short one is made at once, if the turn has time for it and no earlier one of its holder waits. */
  send(answer: LongAnswer): void {
    const sending = new Sending(answer, this.#hooks);
    this.#add(sending);
    if (this.#atOnceMs < atOnceMsMax && this.#isNext(sending)) {
      const startedAt = monotonicMs();
      this.#atOnceMs += this.#run(sending, startedAt, startedAt + firstSliceMs, firstSteps);
      this.#schedule();
    }
    if (sending.requirePlace() && sending.isRunnable) this.#queue(sending);
  }

  #isNext(sending: Sending): boolean {
    if (this.#queues.size === 0) return true;
    const queue = this.#queues.get(turnKey(sending));
    return queue === undefined || !queue.some(({ isWaiting }) => isWaiting);
  }

  #queue(sending: Sending): void {
    const key = turnKey(sending);
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

  /** Where there is no place, the client that has read nothing for longest makes room for one that shares it. */
  #seat(sending: Sending, holder: Holder): LongAnswerPlace | null {
    const { room, onRefused } = this.#options;
    const usedUp = this.#usedUpOf(holder);
    if (usedUp !== undefined) {
      onRefused(usedUp);
      return null;
    }
    const needs = { bytes: sending.heldBytes, isPinned: sending.answer.isPinned };
    const first = room.take(holder, needs);
    if (typeof first !== 'string') return first;
    const place = this.#displace(sending, holder, needs, first) ? room.take(holder, needs) : first;
    if (typeof place !== 'string') return place;
    this.#usedUp.add(shareKey(place, holder));
    this.#schedule();
    onRefused(place);
    return null;
  }

  #usedUpOf(holder: Holder): RefusedShare | undefined {
    if (this.#usedUp.size === 0) return undefined;
    return refusedShares.find((share) => this.#usedUp.has(shareKey(share, holder)));
  }

  #resize(sending: Sending, place: LongAnswerPlace): boolean {
    const { room } = this.#options;
    const needs = { bytes: sending.heldBytes, isPinned: false };
    const first = room.resize(place, needs.bytes);
    if (first === null) return true;
    const isLess = this.#displace(sending, sending.holder, needs, first);
    const refused = isLess ? room.resize(place, needs.bytes) : first;
    if (refused !== null) this.#options.onRefused(refused);
    return refused === null;
  }

  /** Cuts an answer that nobody reads, if that makes the room that is needed. @returns whether it did */
  #displace(sending: Sending, holder: Holder, needs: LongAnswerNeeds, share: RefusedShare): boolean {
    const { room, onDisplaced } = this.#options;
    for (const { unread, place } of this.#unreadOf(holder, share, sending)) {
      if (!room.wouldTake(holder, needs, place)) continue;
      onDisplaced();
      unread.cut('its client did not read it, and others need its place');
      return true;
    }
    return false;
  }

  /** @param share of the holder which is used up: answers that share it may be cut @returns those unread for longest first */
  #unreadOf(holder: Holder, share: RefusedShare, but: Sending) {
    const before = monotonicMs() - unreadMs;
    const found: { readonly unread: Sending; readonly place: LongAnswerPlace; readonly since: number }[] = [];
    for (const unread of this.#sending) {
      const { place, behindSince: since } = unread;
      if (unread === but || place === null || since === null || since >= before) continue;
      if (share === 'all' || unread.holder[share] === holder[share]) found.push({ unread, place, since });
    }
    return found.sort((one, other) => one.since - other.since).slice(0, displacedLooks);
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
    this.#usedUp.clear();
    const startedAt = monotonicMs();
    const untilMs = startedAt + Math.min(slicesMsMax, (startedAt - this.#scheduledAt) * turnShare);
    do this.#runNext();
    while (this.#queues.size > 0 && monotonicMs() < untilMs);
    if (this.#queues.size > 0) this.#schedule();
  }

  /** Gives a slice to that holder which had one longest ago: as many of its answers as are made in it. */
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

  /** When its holder had a slice, the later the higher. */
  #turnOf(key: string | null): number {
    return this.#turns.get(key) ?? 0;
  }

  /** What comes later than its client waits for would be made for nobody. @returns whether it was refused */
  #refuseLate(sending: Sending, now: number): boolean {
    if (!sending.mayBeRefused || now - sending.startedAt < this.#options.deadlineMs) return false;
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

  /** Cuts every answer and lets go of what it was read from. */
  close(): void {
    if (this.#looking !== null) clearTimeout(this.#looking);
    for (const sending of this.#sending) sending.cut('the service stops');
  }
}
