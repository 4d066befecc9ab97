import type { SyncedEnvironmentView } from '../contracts/console/sync-views.ts';
import type { SyncCensus } from '../worker/sync/sync-census.ts';

/** Reports of usage that are remembered, and for how long: one that is sent again within that time counts once. */
const reportsMax = 50_000;
export const reportMsMax = 10 * 60_000;

/** Knows, once for all threads, which reports of usage were counted, and who is connected by sync. */
export class SyncDesk {
  /** By key, the oldest first: when it was counted. */
  readonly #reports = new Map<string, number>();
  /** By thread. */
  readonly #census = new Map<object, readonly SyncCensus[]>();

  /** @param now on a clock that never goes back. @returns false: the report was counted before */
  noteReport(key: string, now: number): boolean {
    for (const [oldest, at] of this.#reports) {
      if (now - at < reportMsMax && this.#reports.size < reportsMax) break;
      this.#reports.delete(oldest);
    }
    if (this.#reports.has(key)) return false;
    this.#reports.set(key, now);
    return true;
  }

  /** @param thread any object that stands for the thread which has the streams */
  noteCensus(thread: object, census: readonly SyncCensus[]): void {
    if (census.length === 0) this.#census.delete(thread);
    else this.#census.set(thread, census);
  }

  /** The thread has ended. */
  forget(thread: object): void {
    this.#census.delete(thread);
  }

  /** Who is connected to a project's environments: as of a moment ago. */
  streamsOf(projectId: string): readonly SyncedEnvironmentView[] {
    const byView = new Map<string, SyncCensus[]>();
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

/** Puts together what threads have counted of the same environment and kind. */
function viewOf(first: SyncCensus, rest: readonly SyncCensus[]): SyncedEnvironmentView {
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
