import type { Environment } from './environment.ts';

/** How a program follows an environment: by sync, as burgee-client does, or by flagd's protocol. */
export type FollowerKind = 'sync' | 'flagd';

/** The programs that follow one environment on one thread. Numbers are of changes, and count those of the whole store. */
export interface StreamCensus {
  readonly projectId: string;
  /** Null in a single-environment project. */
  readonly environment: string | null;
  readonly kind: FollowerKind;
  /** The number of the environment's last change. */
  readonly version: number;
  /** The versions that clients have, newest first, and how many clients have each. */
  readonly versions: readonly (readonly [number: number, streams: number])[];
  /** Clients that were not sent anything yet. */
  readonly starting: number;
  /** How long the client that is furthest behind has lacked a change, in milliseconds. */
  readonly lagMs: number;
}

/** @returns null for browsers, which are not counted */
export function censusOf(
  { place, kind, history, version, streams }: Environment,
  now: number,
): StreamCensus | null {
  if (kind !== 'sync' && kind !== 'flagd') return null;
  const counts = new Map<number, number>();
  let [starting, lagMs] = [0, 0];
  for (const { known, behindSince } of streams) {
    if (behindSince !== null) lagMs = Math.max(lagMs, Math.round(now - behindSince));
    if (known?.history !== history) {
      starting += 1;
      continue;
    }
    // A client that knows the environment's last change has the newest state, whatever came after it elsewhere.
    const number = Math.min(known.number, version);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  const versions = [...counts].sort(([one], [other]) => other - one);
  return { projectId: place.projectId, environment: place.name, kind, version, versions, starting, lagMs };
}
