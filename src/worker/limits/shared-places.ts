import { widestNetwork } from '../../support/address-networks.ts';
import { assert } from '../../support/assert.ts';
import { fitsShare, hasShare } from '../../support/fair-share.ts';
import { keyedHash, LastHash } from '../../support/keyed-hash.ts';
import { withLock } from '../../support/shared-lock.ts';
import { displacedLooks } from '../answers/unread-answers.ts';
import type { RefusedShare } from '../evaluation/evaluation-metrics-protocol.ts';
import type { Holder } from '../evaluation/pin-room.ts';
import { cellsOfKey, cellsOfPlace, holderKinds, isRead, isWanted, type PlaceMemory } from './place-memory.ts';

/**
 * A holder's share, by its kind, of the free places; of a request without credentials, of those that strangers may have.
 * An organisation has many projects, which have many tokens, and one address may have many clients. So one token
 * alone gets at most a third of all places, one project half, one organisation three fifths, one address two thirds.
 */
const weightOf = { asker: 0.5, project: 1, organisation: 1.5, address: 2 } as const;
const weights: readonly number[] = holderKinds.map((kind) => weightOf[kind]);
const addressCell = holderKinds.indexOf('address') * cellsOfKey;
const noPlace = -1;
/** The largest number in an Int32. */
const largestInt32 = 2 ** 31 - 1;

/**
 * What a search of all places finds for one holder. Made before the lock is taken, because nothing may be allocated
 * under it.
 */
class Found {
  /** Places of each kind of the holder, and bytes that are kept for them. */
  readonly held = new Int32Array(holderKinds.length);
  readonly heldBytes = new Float64Array(holderKinds.length);
  /** Bytes that are kept for all places. */
  bytes = 0;
  /** Places of requests without credentials, and bytes that are kept for them. */
  strangers = 0;
  strangersBytes = 0;
  free = 0;
  firstFree = noPlace;
}

/**
 * The places as one worker takes them. Exact over all workers: a holder's share is a share of the process' free places.
 */
export class SharedPlaces {
  readonly #lock: Int32Array<SharedArrayBuffer>;
  readonly #owners: Int32Array<SharedArrayBuffer>;
  readonly #bytes: Int32Array<SharedArrayBuffer>;
  readonly #keys: Int32Array<SharedArrayBuffer>;
  readonly #unread: Int32Array<SharedArrayBuffer>;
  /** Of each kind of holder. */
  readonly #hashes: readonly LastHash[];
  readonly #owner: number;
  readonly #bytesMax: number;
  readonly #strangersPart: number;

  /**
   * @param worker its place in the pool, from 0 on
   * @param bytesMax bytes for all places together; a place that is the only one may keep more
   * @param strangersPart of places and bytes that requests without credentials may use up
   */
  constructor(memory: PlaceMemory, worker: number, bytesMax = 0, strangersPart = 1) {
    this.#lock = new Int32Array(memory.lock);
    this.#owners = new Int32Array(memory.owners);
    this.#bytes = new Int32Array(memory.bytes);
    this.#keys = new Int32Array(memory.keys);
    this.#unread = new Int32Array(memory.unread);
    const seed = new Uint8Array(memory.seed);
    this.#hashes = holderKinds.map(
      // An IPv6 client has thousands of /64.
      (kind) =>
        new LastHash(cellsOfKey, (text) =>
          keyedHash(seed, kind, kind === 'address' ? widestNetwork(text) : text),
        ),
    );
    this.#owner = worker + 1;
    this.#bytesMax = bytesMax;
    this.#strangersPart = strangersPart;
    assert(worker >= 0, 'a worker has a place in the pool');
    assert(this.#bytes.length === this.#owners.length, 'each place has a count of bytes');
    assert(this.#keys.length === this.#owners.length * cellsOfPlace, 'each place has the keys of its holder');
  }

  /**
   * @param bytes that are kept for it
   * @returns a place, to be given back; or the share that is used up; `all`: no place is free
   */
  take(holder: Holder, bytes = 0): number | RefusedShare {
    assert(bytes >= 0 && bytes <= largestInt32, 'the bytes of a place fit its cell');
    const wanted = this.#keysOf(holder);
    const found = new Found();
    return withLock(this.#lock, 0, () => {
      this.#look(wanted, noPlace, found);
      const refused = this.#refuse(wanted, found, bytes);
      if (refused !== null) return refused;
      assert(this.#owners[found.firstFree] === 0, 'a place that is taken was free');
      this.#owners[found.firstFree] = this.#owner;
      this.#bytes[found.firstFree] = bytes;
      this.#unread[found.firstFree] = isRead;
      this.#keys.set(wanted, found.firstFree * cellsOfPlace);
      return found.firstFree;
    });
  }

  /**
   * @param bytes that would be kept @param without a place @returns whether there would be a place if that one were
   * free
   */
  wouldTake(holder: Holder, bytes: number, without: number): boolean {
    const wanted = this.#keysOf(holder);
    const found = new Found();
    withLock(this.#lock, 0, () => this.#look(wanted, without, found));
    return this.#refuse(wanted, found, bytes) === null;
  }

  /** Sets the bytes that are kept for a place. @returns null; or the share that is used up, and nothing has changed */
  resize(place: number, bytes: number): RefusedShare | null {
    assert(bytes >= 0 && bytes <= largestInt32, 'the bytes of a place fit its cell');
    assert(this.#owners[place] === this.#owner, 'a worker resizes its own places');
    // Fewer bytes are never refused, although others may have used up the share since.
    const isLess = bytes <= (this.#bytes[place] as number);
    const wanted = this.#keys.slice(place * cellsOfPlace, (place + 1) * cellsOfPlace);
    const found = new Found();
    return withLock(this.#lock, 0, () => {
      if (!isLess) {
        this.#look(wanted, place, found);
        const refused = this.#refuse(wanted, found, bytes);
        if (refused !== null) return refused;
      }
      this.#bytes[place] = bytes;
      return null;
    });
  }

  /**
   * Tells the other workers whether the client of a place reads.
   * @param since when it stopped, in milliseconds of `monotonicMs`; null: it reads
   * @returns whether another worker wants the place, which is to be given back then
   */
  noteUnread(place: number, since: number | null): boolean {
    assert(this.#owners[place] === this.#owner, 'a worker tells of its own places');
    const now = since === null ? isRead : Math.floor(since / 1000) + 1;
    const before = Atomics.load(this.#unread, place);
    if (before === now) return false;
    // Where it is wanted in between, the next one that is refused asks again.
    if (before !== isWanted || now === isRead) Atomics.store(this.#unread, place, now);
    return before === isWanted && now !== isRead;
  }

  /**
   * Asks another worker for the place whose client has not read for longest, of the share that is used up. It comes free when
   * that worker looks at its answers again.
   * @param before only of clients that stopped reading earlier, in milliseconds of `monotonicMs`
   */
  want(holder: Holder, bytes: number, before: number): void {
    const wanted = this.#keysOf(holder);
    const found = new Found();
    withLock(this.#lock, 0, () => this.#look(wanted, noPlace, found));
    const share = this.#refuse(wanted, found, bytes);
    if (share === null) return;
    for (const place of this.#unreadOf(wanted, share, Math.floor(before / 1000) + 1)) {
      const since = Atomics.load(this.#unread, place);
      if (since <= isRead || !this.wouldTake(holder, bytes, place)) continue;
      Atomics.compareExchange(this.#unread, place, since, isWanted);
      return;
    }
  }

  /** @returns places of other workers that are not read for longest, first */
  #unreadOf(wanted: Int32Array, share: RefusedShare, beforeSecond: number): readonly number[] {
    const found: { readonly place: number; readonly since: number }[] = [];
    for (let place = 0; place < this.#unread.length; place += 1) {
      const since = Atomics.load(this.#unread, place);
      if (since <= isRead || since >= beforeSecond || this.#owners[place] === this.#owner) continue;
      if (isOfShare(this.#keys, place * cellsOfPlace, wanted, share)) found.push({ place, since });
    }
    found.sort((one, other) => one.since - other.since);
    return found.slice(0, displacedLooks).map(({ place }) => place);
  }

  give(place: number): void {
    assert(this.#owners[place] === this.#owner, 'a place is given back once, by the worker that has it');
    withLock(this.#lock, 0, () => {
      this.#owners[place] = 0;
      this.#bytes[place] = 0;
      this.#unread[place] = isRead;
    });
  }

  /** @param keys of the holder @param more bytes that it wants */
  #refuse(keys: Int32Array, found: Found, more: number): RefusedShare | null {
    const { held, heldBytes, bytes, strangers, strangersBytes } = found;
    let { free } = found;
    if (free === 0) return 'all';
    let freeBytes = this.#bytesMax - bytes;
    // A place that is the only one may keep any number of bytes.
    const isFree = more === 0 || bytes === 0;
    if (isStranger(keys, 0)) {
      free = Math.min(free, this.#owners.length * this.#strangersPart - strangers);
      freeBytes = Math.min(freeBytes, this.#bytesMax * this.#strangersPart - strangersBytes);
      if (free <= 0 || (!isFree && more > freeBytes)) return 'strangers';
    }
    for (let kind = 0; kind < holderKinds.length; kind += 1) {
      const weight = weights[kind] as number;
      const hasPlace = hasShare(held[kind] as number, free, weight);
      const hasRoom = isFree || fitsShare(heldBytes[kind] as number, more, freeBytes, weight);
      if (!hasPlace || !hasRoom) return holderKinds[kind] as RefusedShare;
    }
    return null;
  }

  /** @param without a place that counts as free */
  #look(wanted: Int32Array, without: number, found: Found): void {
    const { held, heldBytes } = found;
    const owners = this.#owners;
    const keys = this.#keys;
    for (let place = owners.length - 1; place >= 0; place -= 1) {
      if (owners[place] === 0 || place === without) {
        found.free += 1;
        found.firstFree = place;
        continue;
      }
      const bytes = this.#bytes[place] as number;
      found.bytes += bytes;
      const at = place * cellsOfPlace;
      if (isStranger(keys, at)) {
        found.strangers += 1;
        found.strangersBytes += bytes;
      }
      for (let kind = 0; kind < holderKinds.length; kind += 1) {
        const cell = kind * cellsOfKey;
        if (!isOfHolder(keys, at, wanted, cell)) continue;
        held[kind] = (held[kind] as number) + 1;
        heldBytes[kind] = (heldBytes[kind] as number) + bytes;
      }
    }
  }

  #keysOf(holder: Holder): Int32Array {
    const keys = new Int32Array(cellsOfPlace);
    for (let kind = 0; kind < holderKinds.length; kind += 1) {
      const text = holder[holderKinds[kind] as (typeof holderKinds)[number]];
      if (text !== null) keys.set((this.#hashes[kind] as LastHash).of(text), kind * cellsOfKey);
    }
    return keys;
  }
}

/**
 * @param at where the keys of a holder begin. @returns whether it is a request without credentials. What the service does
 * for itself, such as building a list, has no address either.
 */
function isStranger(keys: Int32Array, at: number): boolean {
  return isNone(keys, at) && !isNone(keys, at + addressCell);
}

function isNone(keys: Int32Array, cell: number): boolean {
  return keys[cell] === 0 && keys[cell + 1] === 0;
}

/** Whether a place that is taken counts for a share of the holder with the keys. @param at where the keys of the place begin */
function isOfShare(keys: Int32Array, at: number, wanted: Int32Array, share: RefusedShare): boolean {
  if (share === 'all') return true;
  if (share === 'strangers') return isStranger(keys, at);
  return isOfHolder(keys, at, wanted, holderKinds.indexOf(share) * cellsOfKey);
}

/** Whether a place has the key of a holder, of the kind that the cell is of, and the holder has one. */
function isOfHolder(keys: Int32Array, at: number, wanted: Int32Array, cell: number): boolean {
  const isSame = keys[at + cell] === wanted[cell] && keys[at + cell + 1] === wanted[cell + 1];
  return isSame && !isNone(wanted, cell);
}
