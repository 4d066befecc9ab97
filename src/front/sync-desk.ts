import type { SyncedEnvironmentView } from '../contracts/console/sync-views.ts';
import type { StreamCensus } from '../streams/stream-census.ts';

/** The most reports of usage that are remembered. One more replaces the oldest, which counts twice if it is sent again. */
const reportsMax = 50_000;
/** How long a report is remembered. */
export const reportMsMax = 10 * 60_000;

/** Remembers which reports were counted. */
class RememberedReports {
  /** When each was counted, by key, the oldest first. */
  readonly #countedAt = new Map<string, number>();

  /** @returns false: it is remembered already */
  add(key: string, now: number): boolean {
    const before = this.#countedAt.get(key);
    if (before !== undefined && now - before < reportMsMax) return false;
    this.#countedAt.delete(key);
    const [oldest] = this.#countedAt.keys();
    if (oldest !== undefined && this.#countedAt.size >= reportsMax) this.#countedAt.delete(oldest);
    this.#countedAt.set(key, now);
    return true;
  }
}

/** Keeps for all threads which reports of usage were counted, and which programs follow environments. */
export class SyncDesk {
  readonly #reports = new RememberedReports();
  /** By thread. */
  readonly #census = new Map<object, readonly StreamCensus[]>();

  /** @param now on a clock that never goes back. @returns false: the report was counted before */
  noteReport(key: string, now: number): boolean {
    return this.#reports.add(key, now);
  }

  /** @param thread any object that stands for the thread which has the streams */
  noteCensus(thread: object, census: readonly StreamCensus[]): void {
    if (census.length === 0) this.#census.delete(thread);
    else this.#census.set(thread, census);
  }

  /** The thread has ended. */
  forget(thread: object): void {
    this.#census.delete(thread);
  }

  /** The programs that follow a project's environments: as of a second ago. */
  streamsOf(projectId: string): readonly SyncedEnvironmentView[] {
    const byView = new Map<string, StreamCensus[]>();
    for (const census of [...this.#census.values()].flat()) {
      if (census.projectId !== projectId) continue;
      const key = `${census.environment ?? ''} ${census.kind}`;
      byView.set(key, [...(byView.get(key) ?? []), census]);
    }
    return [...byView]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([, [first, ...rest]]) => (first === undefined ? [] : [viewOf(first, rest)]));
  }
}

/** Adds up the counts of all threads for the same environment and kind. */
function viewOf(first: StreamCensus, rest: readonly StreamCensus[]): SyncedEnvironmentView {
  const all = [first, ...rest];
  const counts = new Map<number, number>();
  for (const [number, streams] of all.flatMap((one) => one.versions)) {
    counts.set(number, (counts.get(number) ?? 0) + streams);
  }
  const versions = Array.from(counts, ([version, streams]) => ({ version, streams }));
  versions.sort((one, other) => other.version - one.version);
  const starting = sumOf(all, (one) => one.starting);
  return {
    environment: first.environment,
    kind: first.kind,
    streams: starting + sumOf(versions, (one) => one.streams),
    version: Math.max(...all.map((one) => one.version)),
    versions,
    starting,
    lagMs: Math.max(...all.map((one) => one.lagMs)),
  };
}

function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}
