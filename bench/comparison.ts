/**
 * What a run leaves: plain data, as it is written to `bench/results` and read by the table, by `--compare` and by the
 * page of results. Ratios are never stored: `report/ratio.ts` derives them from the rounds.
 */

/** A quantity that was measured. */
export interface Metric {
  /** Unique in its comparison, such as `requestsPerSecond`. */
  readonly key: string;
  /** As a table's heading, with its unit: "requests a second", "server CPU per request, µs". */
  readonly label: string;
  readonly better: 'more' | 'less';
  /** Decimals that a reader needs. */
  readonly digits: number;
  /** By contender: one value a round, in the order of the rounds. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

export interface Contender {
  readonly name: string;
  /** What it is, in a sentence, with version and command line where it is not ours. */
  readonly what: string;
  /** Where it lies on the axis that the comparison varies (flags, connections, changes a second), if it does. */
  readonly x?: number;
}

/** Contenders that took turns, A B A B, under the same load. */
export interface Comparison {
  /** Unique in its scenario, such as `throughput-wrk`. */
  readonly id: string;
  /** A sentence: what is asked of whom. */
  readonly title: string;
  /** What made the load: `wrk 4.1.0`, `autocannon 8.0.0`, `open loop at 53,000 requests a second`, `in process`. */
  readonly driver: string;
  /** Every setting that the figures depend on, by its name in words: connections, seconds a round, flags. */
  readonly settings: Readonly<Record<string, string | number>>;
  readonly rounds: number;
  readonly contenders: readonly Contender[];
  /** The contender that the others are a ratio of. */
  readonly base: string;
  readonly metrics: readonly Metric[];
  /** By contender: the latencies of all rounds in µs as a compressed HDR histogram (base64), where they were taken. */
  readonly histograms?: Readonly<Record<string, string>>;
  /** What a reader must know to read the figures rightly: a load generator at its limit, a cap. */
  readonly remarks?: readonly string[];
}

/** A figure that the project promises itself. */
export interface Target {
  /** What is promised, in a few words. */
  readonly what: string;
  readonly comparison: string;
  readonly metric: string;
  readonly contender: string;
  /** Whether the median of the ratios to the base is meant, or the median of the contender's own values. */
  readonly of: 'ratio' | 'value';
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
}

/** A contender that could not be measured here, and why: never left out silently. */
export interface MissingContender {
  readonly name: string;
  readonly why: string;
}

export interface ScenarioReport {
  readonly scenario: string;
  readonly comparisons: readonly Comparison[];
  readonly targets: readonly Target[];
  readonly missing: readonly MissingContender[];
}

/** Where and how a run was made. */
export interface RunFacts {
  /** ISO 8601. */
  readonly at: string;
  readonly commit: string;
  /** Whether the tree held changes that the commit does not. */
  readonly isModified: boolean;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly command: string;
}

/** A file of `bench/results`: one scenario each. `--json` writes several, in one list. */
export interface ResultFile {
  readonly format: 1;
  readonly run: RunFacts;
  readonly report: ScenarioReport;
}
