import type { TokenUse } from '../domain/token/token-use.ts';
import { type EvaluationCount, hourOf } from '../domain/usage/evaluation-count.ts';
import { HeldSlots } from '../support/fair-share.ts';
import { within } from '../support/within.ts';
import type { CountedEvaluations } from '../worker/evaluation/evaluation-tallies.ts';
import type { WriterClient } from '../writer/client/writer-client.ts';
import type { Usage } from '../writer/client/writer-protocol.ts';

/** The record lags behind the requests by this long. */
const flushIntervalMs = 2000;
/** A stopping service waits for the last record for this long. */
const lastFlushTimeoutMs = 1500;
/** Uses and counts in one command: adding them takes the writer a few milliseconds. */
const usesOfCommand = 1000;
const countsOfCommand = 200;

/** What one command records. */
interface ProjectUsage extends Usage {
  readonly counts: readonly ProjectCount[];
}

/**
 * Records the usage that workers have counted: every few seconds, in commands to the writer, and once more at the end.
 * Reads, evaluations and changes never wait for it.
 */
export class UsageRecorder {
  readonly tokenUses = new UnrecordedUsage(tokenUseKind);
  readonly evaluationCounts = new UnrecordedUsage(evaluationCountKind);
  readonly #writer: WriterClient;
  readonly #onFault: (fault: unknown) => void;
  readonly #isNode: boolean;
  readonly #timer: NodeJS.Timeout;
  #flushing: Promise<void> | null = null;

  /** @param isNode of a cluster: it sends the other nodes uses of tokens and evaluations by different ways */
  constructor(writer: WriterClient, onFault: (fault: unknown) => void, isNode = false) {
    this.#writer = writer;
    this.#isNode = isNode;
    this.#onFault = onFault;
    this.#timer = setInterval(() => this.#begin(), flushIntervalMs).unref();
  }

  /** Records the rest. Call it when nothing is counted any more, and before the writer stops. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const last = async (): Promise<void> => {
      await this.#flushing;
      await this.#flush();
    };
    await within(lastFlushTimeoutMs, last()).catch(this.#onFault);
  }

  /** Runs one flush at a time: while the writer is slow, counts are added to the same entries. */
  #begin(): void {
    if (this.#flushing !== null) return;
    this.#flushing = this.#flush()
      .catch(this.#onFault)
      .finally(() => {
        this.#flushing = null;
      });
  }

  /** Sends one command after another until nothing is left, or one fails. */
  async #flush(): Promise<void> {
    while (!this.tokenUses.isEmpty || !this.evaluationCounts.isEmpty) {
      const uses = this.tokenUses.take(usesOfCommand);
      const counts = this.evaluationCounts.take(countsOfCommand);
      const recorded = this.#isNode
        ? await this.#recordApart({ uses, counts })
        : await this.#record({ uses, counts });
      if (!recorded) return;
    }
  }

  async #recordApart({ uses, counts }: ProjectUsage): Promise<boolean> {
    const recorded = await Promise.all([
      uses.length === 0 || this.#record({ uses, counts: [] }),
      counts.length === 0 || this.#record({ uses: [], counts }),
    ]);
    return !recorded.includes(false);
  }

  /** @returns whether it was recorded */
  async #record(usage: ProjectUsage): Promise<boolean> {
    const outcome = await this.#writer.recordUsage(usage);
    // In a cluster, a stored command is enough. If the outcome is unknown, the usage is dropped, so that it is not
    // counted twice.
    if (outcome.kind === 'recorded' || outcome.kind === 'unconfirmed') return true;
    // A command that failed would fail again, so its counts are lost. One that the writer had no time or room for is
    // repeated.
    if (outcome.kind === 'failed' || outcome.kind === 'unknown') {
      this.tokenUses.giveUp(usage.uses);
      this.evaluationCounts.giveUp(usage.counts);
      this.#onFault(
        new Error(outcome.kind === 'failed' ? outcome.message : 'the outcome of the write is unknown'),
      );
    } else {
      for (const use of usage.uses) this.tokenUses.add(use);
      for (const count of usage.counts) this.evaluationCounts.add(count);
    }
    return false;
  }
}

/** A kind of usage, whose entries add up. */
interface UsageKind<Entry> {
  /** The most different entries held at once. */
  readonly heldMax: number;
  /** The key of entries that add up to one. */
  keyOf(entry: Entry): string;
  /** The account to which the entry counts. */
  holderOf(entry: Entry): string;
  sum(held: Entry, more: Entry): Entry;
  /** Number of requests or evaluations that the entry stands for. */
  eventsOf(entry: Entry): number;
}

/** A token or a project may hold this many times the entries that are free: half of them, if it is alone. */
const holderWeight = 1;

/** The most different uses held at once. Of further ones only the number is kept, until these are taken. */
export const usesHeldMax = 2000;

/** Usage of tokens: equal requests add up to one entry. */
export const tokenUseKind: UsageKind<TokenUse> = {
  heldMax: usesHeldMax,
  keyOf: ({ tokenId, route, environment, address }) => JSON.stringify([tokenId, route, environment, address]),
  holderOf: ({ tokenId }) => tokenId,
  sum: (held, more) => ({ ...more, at: Math.max(held.at, more.at), count: held.count + more.count }),
  eventsOf: ({ count }) => count,
};

/**
 * The most different flags, environments and hours held at once. Of further ones only the number is kept, until these
 * are taken.
 */
export const countsHeldMax = 100_000;

/** The count of a flag, and whose flag it is. */
export interface ProjectCount extends EvaluationCount {
  readonly projectId: string;
}

/** How often each flag was on and off, by environment and hour. */
export const evaluationCountKind: UsageKind<ProjectCount> = {
  heldMax: countsHeldMax,
  keyOf: ({ hour, flagId, environmentNumber }) => `${hour}/${flagId}/${environmentNumber}`,
  holderOf: ({ projectId }) => projectId,
  sum: (held, more) => ({ ...more, on: held.on + more.on, off: held.off + more.off }),
  eventsOf: ({ on, off }) => on + off,
};

const idLength = 20;

/** Reads a worker's message. @param now Unix milliseconds: an evaluation counts in the hour in which it is added. */
export function* countsIn(counted: CountedEvaluations, now: number): Generator<ProjectCount> {
  const { flagIds, projectIds, numbers } = counted;
  const hour = hourOf(now);
  for (let index = 0; index * idLength < flagIds.length; index += 1) {
    const [start, end] = [index * idLength, (index + 1) * idLength];
    const [projectId, flagId] = [projectIds.slice(start, end), flagIds.slice(start, end)];
    const [environmentNumber = 0, on = 0, off = 0] = numbers.subarray(index * 3, index * 3 + 3);
    yield { projectId, hour, flagId, environmentNumber, on, off };
  }
}

/** Usage in memory that waits to be recorded. A process that is killed loses it: the last few seconds. */
export class UnrecordedUsage<Entry> {
  readonly #kind: UsageKind<Entry>;
  readonly #held = new Map<string, Entry>();
  readonly #holders = new HeldSlots();
  /** Number of events that were lost: there was no room for them, or the writer could not record them. */
  uncounted = 0;

  constructor(kind: UsageKind<Entry>) {
    this.#kind = kind;
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /** Includes entries that were taken and could not be recorded yet. */
  add(entry: Entry): void {
    const key = this.#kind.keyOf(entry);
    const held = this.#held.get(key);
    if (held !== undefined) {
      this.#held.set(key, this.#kind.sum(held, entry));
      return;
    }
    const holder = this.#kind.holderOf(entry);
    if (this.#holders.hasShareFor(holder, this.#kind.heldMax, holderWeight)) {
      this.#holders.take(holder);
      this.#held.set(key, entry);
    } else this.giveUp([entry]);
  }

  /** @returns at most `max` entries, which are then no longer held */
  take(max: number): readonly Entry[] {
    const taken: Entry[] = [];
    for (const [key, entry] of this.#held) {
      if (taken.length === max) break;
      taken.push(entry);
      this.#held.delete(key);
      this.#holders.give(this.#kind.holderOf(entry));
    }
    return taken;
  }

  /** Counts entries as lost: they will not be recorded. */
  giveUp(entries: readonly Entry[]): void {
    for (const entry of entries) this.uncounted += this.#kind.eventsOf(entry);
  }
}
