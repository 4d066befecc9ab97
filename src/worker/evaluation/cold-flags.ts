import { monotonicMs } from '../../support/monotonic-clock.ts';
import { type MemorySource, ScratchMemory } from '../../support/scratch-memory.ts';
import type { WorkQueue } from '../../support/steps.ts';
import { touchedMemory } from '../../support/touched-memory.ts';
import type { FlagCache } from './flag-cache.ts';

/** Long flags that are remembered: some 200 bytes each. */
const rememberedMax = 16_384;
/** Memory that a worker keeps for flags that its cache does not keep. A longer record gets memory of its own. */
const scratchBytesMax = 4 * 1024 * 1024;

/**
 * Memory of long flags that take the place of others in a second, and at once after a rest. What is displaced becomes
 * garbage outside V8's heap, which brings the next major collection nearer: each takes more than a millisecond.
 */
const displacingBytesPerSecond = 8 * 1024 * 1024;
const displacingBytesMax = 32 * 1024 * 1024;

/** A flag that was too long to be read at once. */
interface RememberedFlag {
  readonly projectId: string;
  /** Memory of the compiled flag and its audiences; 0 until it was loaded. */
  bytes: number;
  /** The number of its last load; 0: none yet. */
  loadedAt: number;
}

/** Where the long records of a flag are read to, and what indexes their lists. */
export interface ReadingPlace {
  readonly memory: MemorySource;
  /** Null: they stay without an index. */
  readonly queue: WorkQueue | null;
}

/** How much memory long flags may still take from others. */
class DisplacingAllowance {
  #bytes = displacingBytesMax;
  #countedAtMs = monotonicMs();

  has(bytes: number): boolean {
    const now = monotonicMs();
    const earned = ((now - this.#countedAtMs) / 1000) * displacingBytesPerSecond;
    this.#bytes = Math.min(displacingBytesMax, this.#bytes + earned);
    this.#countedAtMs = now;
    return this.#bytes >= bytes;
  }

  take(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/**
 * What a worker remembers of long flags that its cache does not hold. A request for one of them need not read the
 * record to learn that it is long. And clients that ask for more long flags than the cache holds do not displace all of
 * it again and again: a flag takes the place only of flags that nobody asked for since its last load, and only as many
 * in a second as the collector can bear.
 */
export class ColdFlags {
  readonly cache: FlagCache;
  readonly queue: WorkQueue;
  readonly scratch = new ScratchMemory(scratchBytesMax);
  readonly allowance = new DisplacingAllowance();
  /** The one that was loaded longest ago comes first. */
  readonly #remembered = new Map<string, RememberedFlag>();

  /** @param queue indexes the lists of flags that the cache keeps */
  constructor(cache: FlagCache, queue: WorkQueue) {
    this.cache = cache;
    this.queue = queue;
  }

  projectOf(flagId: string): string | undefined {
    return this.#remembered.get(flagId)?.projectId;
  }

  add(flagId: string, projectId: string): void {
    this.#remember(flagId, { projectId, bytes: 0, loadedAt: 0 });
  }

  #remember(flagId: string, flag: RememberedFlag): void {
    this.#remembered.delete(flagId);
    this.#remembered.set(flagId, flag);
    if (this.#remembered.size <= rememberedMax) return;
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }

  forget(flagId: string): void {
    this.#remembered.delete(flagId);
  }

  forgetAll(): void {
    this.#remembered.clear();
  }

  /** Begins a load, whose memory may be that of the load before: a worker loads one flag at a time. */
  beginLoad(flagId: string): ColdLoad {
    this.scratch.begin();
    this.cache.loads += 1;
    const flag = this.#remembered.get(flagId) ?? null;
    const load = new ColdLoad(this, flag);
    if (flag !== null) {
      flag.loadedAt = this.cache.loads;
      this.#remember(flagId, flag);
    }
    return load;
  }
}

/** A load under way. It decides before its first long record is read whether the cache will keep the flag. */
export class ColdLoad implements ReadingPlace {
  readonly #worker: ColdFlags;
  readonly #flag: RememberedFlag | null;
  readonly #loadedBefore: number;
  #isKept = true;
  #isLong = false;

  /** @param flag what is known of it before this load */
  constructor(worker: ColdFlags, flag: RememberedFlag | null) {
    this.#worker = worker;
    this.#flag = flag;
    this.#loadedBefore = flag?.loadedAt ?? 0;
  }

  readonly memory: MemorySource = (length) => {
    if (!this.#isLong) this.#isKept = this.#isWorthKeeping(Math.max(length, this.#flag?.bytes ?? 0));
    this.#isLong = true;
    return this.#isKept ? touchedMemory(length) : this.#worker.scratch.take(length);
  };

  get queue(): WorkQueue | null {
    return this.#isKept ? this.#worker.queue : null;
  }

  /** Whether a record was too long to be read at once. */
  get isLong(): boolean {
    return this.#isLong;
  }

  #isWorthKeeping(bytes: number): boolean {
    const { cache, allowance } = this.#worker;
    return cache.hasRoom(bytes) || (allowance.has(bytes) && cache.isIdle(bytes, this.#loadedBefore));
  }

  /**
   * @param bytes of the compiled flag and its audiences
   * @returns whether the cache should keep it; if not, nothing may refer to it after the load
   */
  settle(bytes: number): boolean {
    if (this.#flag !== null) this.#flag.bytes = bytes;
    if (!this.#isLong) return true;
    const isKept = this.#isKept && this.#isWorthKeeping(bytes);
    if (isKept && !this.#worker.cache.hasRoom(bytes)) this.#worker.allowance.take(bytes);
    return isKept;
  }
}
