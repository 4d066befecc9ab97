import type { RefusedShare } from '../evaluator/evaluation-metrics-protocol.ts';
import type { Holder } from '../evaluator/pin-room.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
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
  /** Told how long each step took, in milliseconds. */
  onStep(ms: number): void;
  /** An answer found no place. */
  onRefused(share: RefusedShare): void;
  /** An answer was cut, because another one needed its place and its client did not read. */
  onDisplaced(): void;
}

/** A long answer works this long between two looks at the sockets. */
const sliceMs = 0.5;
/** Answers that are made as soon as they are asked for take this long of a turn of the event loop at most. */
const atOnceMsMax = 1;
/** A long answer's snapshot pins pages, and the file grows: a client that is slower than this is cut off. */
const answerAgeMaxMs = 30_000;
const cutIntervalMs = 1000;
/** Holders whose last slices are known. */
const turnsMax = 4096;
/** A client that has taken nothing for so long may lose its place to another one. */
const unreadMs = 1000;
/** So many of them are looked at for one whose place would do. */
const displacedLooks = 16;

/** Whose turn a slice is: an organisation's, or where there is none, its project's, asker's or address's. */
function turnKey({ holder }: Sending): string | null {
  return holder === null ? null : (holder.organisation ?? holder.project ?? holder.asker ?? holder.address);
}

/** The long answers of a worker: each turn of its event loop makes one slice, of one holder after the other. */
export class LongAnswers {
  readonly #options: LongAnswersOptions;
  readonly #hooks: SendingHooks;
  readonly #cutting: NodeJS.Timeout;
  #sending: Sending[] = [];
  /** Of each holder with answers on their way: its last slice. */
  readonly #turns = new Map<string | null, number>();
  #turn = 0;
  #atOnceMs = 0;
  #isScheduled = false;

  constructor(options: LongAnswersOptions) {
    this.#options = options;
    this.#hooks = {
      onChange: () => this.#schedule(),
      seat: (sending, holder) => this.#seat(sending, holder),
      resize: (sending, place) => this.#resize(sending, place),
      leave: (place) => options.room.give(place),
    };
    this.#cutting = setInterval(() => this.#cutOld(), cutIntervalMs).unref();
  }

  get count(): number {
    return this.#sending.length;
  }

  /** Takes an answer. A short one is made at once, if the turn has time for it. */
  send(answer: LongAnswer): void {
    const sending = new Sending(answer, this.#hooks);
    this.#sending.push(sending);
    if (this.#atOnceMs < atOnceMsMax) this.#atOnceMs += this.#run(sending);
    sending.requirePlace();
    this.#sweep();
    this.#schedule();
  }

  /** Where there is no place, the client that has read nothing for longest makes room for one that shares it. */
  #seat(sending: Sending, holder: Holder): LongAnswerPlace | null {
    const { room } = this.#options;
    const needs = { bytes: sending.heldBytes, isPinned: sending.answer.isPinned };
    const first = room.take(holder, needs);
    if (typeof first !== 'string') return first;
    const place = this.#displace(sending, holder, needs, first) ? room.take(holder, needs) : first;
    if (typeof place !== 'string') return place;
    this.#options.onRefused(place);
    return null;
  }

  #resize(sending: Sending, place: LongAnswerPlace): boolean {
    const { room } = this.#options;
    const needs = { bytes: sending.heldBytes, isPinned: false };
    const first = room.resize(place, needs.bytes);
    if (first === null) return true;
    const { holder } = sending;
    const isLess = holder !== null && this.#displace(sending, holder, needs, first);
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

  /** @param share of the holder which is used up: whoever shares that may be cut @returns those unread for longest first */
  #unreadOf(holder: Holder, share: RefusedShare, but: Sending) {
    const before = monotonicMs() - unreadMs;
    const found: { readonly unread: Sending; readonly place: LongAnswerPlace; readonly since: number }[] = [];
    for (const unread of this.#sending) {
      const { place, behindSince: since } = unread;
      if (unread === but || place === null || since === null || since >= before) continue;
      if (share === 'all' || unread.holder?.[share] === holder[share]) found.push({ unread, place, since });
    }
    return found.sort((one, other) => one.since - other.since).slice(0, displacedLooks);
  }

  /** @returns how long it took, in milliseconds */
  #run(sending: Sending): number {
    const startedAt = monotonicMs();
    sending.run(startedAt + sliceMs);
    const tookMs = monotonicMs() - startedAt;
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
    this.#run(next);
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
