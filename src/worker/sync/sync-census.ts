/** The streams of one environment on a worker. */
export interface SyncCensus {
  readonly projectId: string;
  /** Null in a single-environment project. */
  readonly environment: string | null;
  readonly history: string;
  /** The number of the environment's last change, as far as the worker was told. */
  readonly version: number;
  /** What clients know, newest first: number, and how many clients; 0: nothing yet. */
  readonly versions: readonly (readonly [number: number, streams: number])[];
}
