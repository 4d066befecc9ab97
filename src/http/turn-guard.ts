/**
 * How an answer is given that is given within its handler:
 * - `plain`: at once;
 * - `checked`: at once, in one piece, and it is seen whether the client's socket takes it;
 * - `last`: at once, and it ends its connection;
 * - `held`: at the end of the turn of the event loop. Who has sent another request behind it is cut off meanwhile.
 */
export type Manner = 'plain' | 'checked' | 'last' | 'held';

/** Answers from one look to the next. The first look in a turn plans its end, which costs some microseconds. */
const looksApartMin = 32;
const looksApartMax = 96;
/** In a turn that was looked at. */
const looksApartInTurn = 16;
/** Somebody may send so many requests without waiting for answers, alone or each in so large a crowd. */
const aheadAlone = 64;
const aheadEach = 8;
const aheadTogether = 512;
/** More connections than this do not have a request each in one turn. */
const connectionsMax = 2048;
/** A turn that is over lasts no longer: some hundreds of evaluations. */
const turnMsMax = 2;

/** Drawn, so that no client can see to it that its answers are never looked at. */
function drawLooksApart(): number {
  return looksApartMin + Math.floor(Math.random() * (looksApartMax - looksApartMin));
}

/**
 * Bounds what one connection takes of its thread in one turn of the event loop. uWebSockets.js handles all requests of a
 * received buffer, up to half a megabyte of them, one after the other, and tells neither which connection a request came on
 * nor where a buffer ends. But a client that waits for its answers has one request in a turn: where there are more requests
 * than connections, somebody does not wait. Past a handful for each, such a turn is over after `turnMsMax`. The answer then
 * given ends its connection, and the library handles no more of the buffer; other clients that are ahead are cut off.
 */
export class TurnGuard {
  readonly #connections: () => number;
  #left = drawLooksApart();
  #unseenLeft = drawLooksApart();
  /** From the last look to the next. */
  #apart = this.#left;
  /** Whether this turn was looked at. */
  #isSeen = false;
  /** Since then. */
  #answers = 0;
  #startedAt = 0;
  #isOver = false;

  /** @param connections how many this thread has */
  constructor(connections: () => number) {
    this.#connections = connections;
  }

  /** Asked for each request, before it is handled. */
  next(): Manner {
    this.#left -= 1;
    return this.#left > 0 ? 'plain' : this.#look();
  }

  /**
   * Asked for each answer of which uWebSockets.js does not tell whether the client's socket takes it.
   * @returns whether this one is to end its connection, and the connection with it what may be unsent: one in some is
   */
  isSampled(): boolean {
    this.#unseenLeft -= 1;
    if (this.#unseenLeft > 0) return false;
    this.#unseenLeft = drawLooksApart();
    return true;
  }

  #look(): Manner {
    if (this.#isSeen) this.#answers += this.#apart;
    else this.#beginTurn();
    const connections = Math.min(this.#connections(), connectionsMax);
    const isAnyoneAhead = this.#answers > Math.max(aheadAlone / 2, connections);
    // Behind the first answers to a buffer the library sends each header by itself, unless it is asked for each answer.
    this.#apart = isAnyoneAhead ? 1 : looksApartInTurn;
    this.#left = this.#apart;
    if (this.#isOver) return 'held';
    const allowed = Math.max(connections, aheadAlone, Math.min(aheadEach * connections, aheadTogether));
    this.#isOver = this.#answers > allowed && performance.now() - this.#startedAt > turnMsMax;
    return this.#isOver ? 'last' : 'checked';
  }

  #beginTurn(): void {
    this.#isSeen = true;
    this.#answers = 0;
    this.#startedAt = performance.now();
    setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    this.#isSeen = false;
    this.#isOver = false;
    this.#apart = drawLooksApart();
    this.#left = this.#apart;
  }
}
