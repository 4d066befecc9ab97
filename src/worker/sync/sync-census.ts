/** How a program follows an environment: by sync, as burgee-client does, or by flagd's protocol. */
export type SyncKind = 'sync' | 'flagd';

/** The streams of one environment on one thread. Numbers are of changes, and count those of the whole store. */
export interface SyncCensus {
  readonly projectId: string;
  /** Null in a single-environment project. */
  readonly environment: string | null;
  readonly kind: SyncKind;
  /** The number of the environment's last change, as far as the thread was told. */
  readonly version: number;
  /** What clients were sent, newest first: number, and how many clients. */
  readonly versions: readonly (readonly [number: number, streams: number])[];
  /** Clients that were not sent anything yet. */
  readonly starting: number;
  /** For how long the furthest of the others has been without the newest, in milliseconds. */
  readonly lagMs: number;
}

/** Changes of an environment of which it is known when they were seen: clients that stay behind for longer are cut off. */
const seenMax = 100;

/** When an environment's newest changes were first seen: between two looks, which are a second apart. */
export class SeenVersions {
  readonly #seen: { readonly number: number; readonly at: number }[] = [];

  /** @param now on a clock that never goes back, in milliseconds */
  note(number: number, now: number): void {
    const last = this.#seen.at(-1);
    if (last?.number === number) return;
    // Smaller numbers are of another history.
    if (last !== undefined && last.number > number) this.#seen.length = 0;
    this.#seen.push({ number, at: now });
    if (this.#seen.length > seenMax) this.#seen.shift();
  }

  /** @returns milliseconds since the first change that came after this one; 0 when there is none */
  msSinceChangeAfter(number: number, now: number): number {
    const missed = this.#seen.find((one) => one.number > number);
    return missed === undefined ? 0 : now - missed.at;
  }
}

export interface CountedEnvironment {
  readonly projectId: string;
  /** Null in a single-environment project. */
  readonly name: string | null;
  readonly kind: SyncKind;
  readonly version: number;
  readonly seen: SeenVersions;
}

/**
 * Counts the clients of an environment. Called about each second.
 * @param known the last change that each client was sent; null: nothing yet
 */
export function censusOf(
  { projectId, name, kind, version, seen }: CountedEnvironment,
  known: Iterable<number | null>,
  now: number,
): SyncCensus {
  seen.note(version, now);
  const counts = new Map<number, number>();
  let starting = 0;
  for (const each of known) {
    // A client that knows the environment's last change has the newest, whatever came after it elsewhere.
    const number = each === null ? null : Math.min(each, version);
    if (number === null) starting += 1;
    else counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  const versions = [...counts].sort(([one], [other]) => other - one);
  const furthest = versions.at(-1)?.[0] ?? version;
  const lagMs = Math.round(seen.msSinceChangeAfter(furthest, now));
  return { projectId, environment: name, kind, version, versions, starting, lagMs };
}
