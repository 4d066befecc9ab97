import type { SyncedEnvironmentView } from '../contracts/console/sync-views.ts';
import { accountNameOf, hasShare, type Tenant } from '../support/fair-share.ts';
import type { SyncCensus } from '../worker/sync/sync-census.ts';

/** Reports of usage that are remembered, and for how long: one that is sent again within that time counts once. */
const reportsMax = 50_000;
export const reportMsMax = 10 * 60_000;

/** Half of them for one organisation. */
const accountWeight = 1;
/** Reports whose time is over that are forgotten with a new one. */
const forgottenAtOnce = 64;

/** The reports that were counted, by their keys. An organisation that has its share forgets its oldest for a new one. */
class RememberedReports {
  /** The oldest first: when each was counted, and for whom. */
  readonly #reports = new Map<string, { readonly account: string; readonly at: number }>();
  /** The keys of each organisation, the oldest first. */
  readonly #ofAccount = new Map<string, Set<string>>();

  /** @returns false: it is remembered already */
  add(tenant: Tenant, key: string, now: number): boolean {
    this.#forgetOld(now);
    const known = this.#reports.get(key);
    if (known !== undefined && now - known.at < reportMsMax) return false;
    this.#forget(key);
    const account = accountNameOf(tenant);
    const [oldest] = this.#ofAccount.get(account) ?? [];
    const held = this.#ofAccount.get(account)?.size ?? 0;
    if (oldest !== undefined && !hasShare(held, reportsMax - this.#reports.size, accountWeight)) {
      this.#forget(oldest);
    }
    // Of thousands of organisations, each may have its last place.
    if (this.#reports.size >= reportsMax) return true;
    this.#reports.set(key, { account, at: now });
    const own = this.#ofAccount.get(account) ?? new Set<string>();
    this.#ofAccount.set(account, own.add(key));
    return true;
  }

  #forgetOld(now: number): void {
    let left = forgottenAtOnce;
    for (const [key, { at }] of this.#reports) {
      if (now - at < reportMsMax || left === 0) return;
      this.#forget(key);
      left -= 1;
    }
  }

  #forget(key: string): void {
    const report = this.#reports.get(key);
    if (report === undefined) return;
    this.#reports.delete(key);
    const own = this.#ofAccount.get(report.account);
    own?.delete(key);
    if (own?.size === 0) this.#ofAccount.delete(report.account);
  }
}

/** Knows, once for all threads, which reports of usage were counted, and who is connected by sync. */
export class SyncDesk {
  readonly #reports = new RememberedReports();
  /** By thread. */
  readonly #census = new Map<object, readonly SyncCensus[]>();

  /** @param now on a clock that never goes back. @returns false: the report was counted before */
  noteReport(tenant: Tenant, key: string, now: number): boolean {
    return this.#reports.add(tenant, key, now);
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
