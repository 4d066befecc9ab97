/**
 * The configuration of one environment, as a client needs it to evaluate by itself: the wire format of sync
 * (docs/api.md). The service writes it, `burgee-client` reads it, so it imports nothing.
 */

/** A flag as one environment of its project evaluates it. */
export interface SyncFlag {
  readonly id: string;
  readonly name: string;
  /** To which the flag answers: its name, unless an earlier flag of the same name has it, and former names. */
  readonly names: readonly string[];
  /** Counts the changes of the flag, from 1. */
  readonly revision: number;
  readonly enabled: boolean;
  /** Whole number, 0 to 100. */
  readonly trafficPercentage: number;
  /** The effective list: the environment's own, otherwise the flag-wide one. */
  readonly cohorts: readonly string[];
  /** Null means everyone. */
  readonly audienceId: string | null;
}

/** Matches when every rule matches. */
export interface SyncAudience {
  readonly id: string;
  readonly rules: readonly { readonly attribute: string; readonly values: readonly string[] }[];
}

/** Every flag and every audience that they apply: data of the event `snapshot`, and the body of a snapshot by JSON. */
export interface SyncSnapshot {
  /** `<history>.<number>`: the history of the store, and the last change of this project and environment in it. */
  readonly version: string;
  readonly projectId: string;
  /** Null in a single-environment project. */
  readonly environment: string | null;
  readonly flags: readonly SyncFlag[];
  readonly audiences: readonly SyncAudience[];
}

/** The present state of everything that changed since an earlier version. It may be applied twice. */
export interface SyncDelta {
  readonly version: string;
  readonly flags: readonly SyncFlag[];
  /** Ids of flags that are gone. */
  readonly removed: readonly string[];
  readonly audiences: readonly SyncAudience[];
  /** Ids of audiences that no flag of this environment applies any more. */
  readonly removedAudiences: readonly string[];
}

/** Nothing changed up to this version. */
export interface SyncBeat {
  readonly version: string;
}

/** The service ends the stream: the client reconnects after this time. */
export interface SyncGoodbye {
  readonly retryAfterMs: number;
}

/** Evaluations that a client made by itself since its last report: the body of a report of usage. */
export interface SyncUsage {
  /** Random, once for each report: a report that is sent twice is counted once. */
  readonly reportId: string;
  readonly flags: readonly { readonly id: string; readonly on: number; readonly off: number }[];
}
