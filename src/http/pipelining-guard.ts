/**
 * How an answer is sent that is given within its handler. The last two also apply later in the same pass of the event loop:
 * - `plain`: at once;
 * - `checked`: at once, in one piece, and the guard learns whether the client's socket takes it;
 * - `last`: at once, and it ends its connection;
 * - `held`: at the end of the pass. A client that has sent another request behind it is cut off meanwhile.
 */
export type Manner = 'plain' | 'checked' | 'last' | 'held';

/** Answers between two checks. The first check in a pass schedules its end, which costs some microseconds. */
const looksApartMin = 32;
const looksApartMax = 96;
/** Answers between two checks in a pass that was checked already. */
const looksApartInPass = 16;
/** Requests that clients may send without waiting for answers: a single client, each of several, all together. */
const aheadAlone = 64;
const aheadEach = 8;
const aheadTogether = 512;
/** More connections than this do not have a request each in one pass. */
const connectionsMax = 2048;
/** uWebSockets.js gathers this many bytes for one write to a connection. A larger piece goes to the socket at once. */
export const gatheredBytes = 16 * 1024;
/**
 * From this many bytes on, the count is reset at the end of the pass. A lower value would reset it with each answer, which
 * takes as long as some answers; a higher one would leave many bytes to the next pass, whose answers would then count as
 * too many for one write.
 */
const forgottenFrom = gatheredBytes / 4;
/** A pass that is over the limit lasts at most this long: some hundreds of evaluations. */
const passMsMax = 2;

/** Random, so that a client cannot arrange that its answers are never checked. */
function drawLooksApart(): number {
  return looksApartMin + Math.floor(Math.random() * (looksApartMax - looksApartMin));
}

/**
 * Bounds how much of one pass of the event loop one connection takes. uWebSockets.js handles all requests of a received
 * buffer (up to half a megabyte) one after the other, and shows neither the connection of a request nor the end of a
 * buffer. But a client that waits for its answers has one request in a pass. So if a pass has more requests than there
 * are connections, some client does not wait. Beyond a handful for each connection, the pass is over after `passMsMax`:
 * the next answer ends its connection, and the library handles no more of that buffer. Other clients that do not wait
 * for answers are cut off too.
 */
export class PipeliningGuard {
  readonly #connections: () => number;
  #left = drawLooksApart();
  #unseenLeft = drawLooksApart();
  /** Answers between the last check and the next one. */
  #apart = this.#left;
  /** Whether this pass was checked. */
  #isSeen = false;
  /** Answers since the first check of the pass. */
  #answers = 0;
  #startedAt = 0;
  #isOver = false;
  /** Bytes of answers that were given within handlers since they were last forgotten, at the end of a pass. */
  #gathered = 0;
  #isForgetting = false;

  /** @param connections of this thread */
  constructor(connections: () => number) {
    this.#connections = connections;
  }

  /** Whether the requests of this pass were too many: no more of them may be answered before it ends. */
  get isPassOver(): boolean {
    return this.#isOver;
  }

  /** Called for each request, before it is handled. */
  next(): Manner {
    this.#left -= 1;
    return this.#left > 0 ? 'plain' : this.#look();
  }

  /**
   * Called for each answer of which uWebSockets.js does not say whether the client's socket takes it.
   * @returns whether this answer ends its connection, with what is unsent on it: true for a random sample
   */
  isSampled(): boolean {
    this.#unseenLeft -= 1;
    if (this.#unseenLeft > 0) return false;
    this.#unseenLeft = drawLooksApart();
    return true;
  }

  /**
   * Called for each answer that is given within a handler. Answers to all connections count together, because
   * uWebSockets.js does not show on which one a request came.
   * @param bytes an upper bound, with the head. @returns whether it surely fits into what the library gathers
   */
  hasRoom(bytes: number): boolean {
    this.#gathered += bytes;
    if (this.#gathered > forgottenFrom && !this.#isForgetting) {
      this.#isForgetting = true;
      setImmediate(() => this.#forgetGathered());
    }
    return this.#gathered <= gatheredBytes;
  }

  /** Called for each request whose answer is not counted: until the pass ends, no other answer certainly has room. */
  hasUncounted(): void {
    this.hasRoom(gatheredBytes + 1);
  }

  /** At the end of a pass, the library has sent what it had gathered. */
  #forgetGathered(): void {
    this.#isForgetting = false;
    this.#gathered = 0;
  }

  #look(): Manner {
    if (this.#isSeen) this.#answers += this.#apart;
    else this.#beginPass();
    const connections = Math.min(this.#connections(), connectionsMax);
    const isAnyoneAhead = this.#answers > Math.max(aheadAlone / 2, connections);
    // After the first answers to a buffer, the library sends each header in a write of its own, unless each answer is
    // checked.
    this.#apart = isAnyoneAhead ? 1 : looksApartInPass;
    this.#left = this.#apart;
    if (this.#isOver) return 'held';
    const allowed = Math.max(connections, aheadAlone, Math.min(aheadEach * connections, aheadTogether));
    this.#isOver = this.#answers > allowed && performance.now() - this.#startedAt > passMsMax;
    return this.#isOver ? 'last' : 'checked';
  }

  #beginPass(): void {
    this.#isSeen = true;
    this.#answers = 0;
    this.#startedAt = performance.now();
    setImmediate(() => this.#endPass());
  }

  #endPass(): void {
    this.#isSeen = false;
    this.#isOver = false;
    this.#apart = drawLooksApart();
    this.#left = this.#apart;
  }
}
