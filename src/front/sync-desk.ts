import type { SyncedEnvironmentView } from '../contracts/console/sync-views.ts';
import type { SyncCensus } from '../worker/sync/sync-census.ts';

/** Reports of usage that are remembered, and for how long: one that is sent again within that time counts once. */
const reportsMax = 50_000;
const reportMsMax = 10 * 60_000;

/** Knows, once for all workers, which reports of usage were counted, and who is connected by sync. */
export class SyncDesk {
  /** By key, the oldest first: when it was counted. */
  readonly #reports = new Map<string, number>();
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

  /** @param worker any object that stands for the worker */
  noteCensus(worker: object, census: readonly SyncCensus[]): void {
    if (census.length === 0) this.#census.delete(worker);
    else this.#census.set(worker, census);
  }

  /** The worker has ended. */
  forget(worker: object): void {
    this.#census.delete(worker);
  }

  /** Who is connected to a project's environments: as of a moment ago. */
  streamsOf(projectId: string): readonly SyncedEnvironmentView[] {
    const own = [...this.#census.values()].flat().filter((one) => one.projectId === projectId);
    const names = [...new Set(own.map(({ environment }) => environment))].sort();
    return names.map((name) =>
      viewOf(
        name,
        own.filter(({ environment }) => environment === name),
      ),
    );
  }
}

/** @param census of the same environment, of each worker with streams */
function viewOf(environment: string | null, census: readonly SyncCensus[]): SyncedEnvironmentView {
  const counts = new Map<number, number>();
  for (const { versions } of census) {
    for (const [number, streams] of versions) counts.set(number, (counts.get(number) ?? 0) + streams);
  }
  const versions = Array.from(counts, ([version, streams]) => ({ version, streams }));
  versions.sort((one, other) => other.version - one.version);
  const version = Math.max(0, ...census.map((one) => one.version));
  const furthest = versions.at(-1)?.version ?? version;
  const streams = versions.reduce((sum, one) => sum + one.streams, 0);
  return { environment, streams, version, versions, lag: Math.max(0, version - furthest) };
}
