/**
 * The result of a run, as plain data: it is written to `bench/results` and read by the tables, by `--compare` and by
 * the page of results. Ratios are never stored: `report/figure.ts` derives them from the rounds.
 */

/** A measured quantity. */
export interface Metric {
  /** Unique in its comparison, such as `requestsPerSecond`. */
  readonly key: string;
  /** A table heading with the unit: "requests a second", "server CPU per request, µs". */
  readonly label: string;
  readonly better: 'more' | 'less';
  /** Number of decimals to show. */
  readonly digits: number;
  /** By contender: one value for each round, in order. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

export interface Contender {
  readonly name: string;
  /** A description, with version and command line of a program that is not ours. */
  readonly what: string;
  /** Its value on the axis that the comparison varies (flags, connections, changes a second), if it varies one. */
  readonly x?: number;
}

/** Contenders that were measured alternately under the same load. */
export interface Comparison {
  /** Unique in its scenario, such as `throughput-wrk`. */
  readonly id: string;
  /** A sentence: what is measured. */
  readonly title: string;
  /** What made the load: `wrk 4.1.0`, `autocannon 8.0.0`, `open loop at 53,000 requests a second`, `in process`. */
  readonly driver: string;
  /** Every setting that the figures depend on, by a name in words: connections, seconds a round, flags. */
  readonly settings: Readonly<Record<string, string | number>>;
  readonly rounds: number;
  readonly contenders: readonly Contender[];
  /** The contender that the others are compared with. */
  readonly base: string;
  readonly metrics: readonly Metric[];
  /** By contender: the latencies of all rounds in µs as a compressed HDR histogram (base64), if they were measured. */
  readonly histograms?: Readonly<Record<string, string>>;
  /** Remarks that a reader needs to judge the figures, such as a load generator at its limit, or a capped rate. */
  readonly remarks?: readonly string[];
}

/** A figure that the project aims for. */
export interface Target {
  /** The aim, in a few words. */
  readonly what: string;
  readonly comparison: string;
  readonly metric: string;
  readonly contender: string;
  /** Whether the bound holds for the median of the ratios to the base, or for that of the contender's own values. */
  readonly of: 'ratio' | 'value';
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
}

/** A contender that could not be measured here, and why. The report lists it. */
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
  /** Whether the work tree had uncommitted changes. */
  readonly isModified: boolean;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly kernel: string;
  readonly command: string;
}

/** A file of `bench/results`, which has one scenario. `--json` writes a list of them. */
export interface ResultFile {
  readonly format: 1;
  readonly run: RunFacts;
  readonly report: ScenarioReport;
}
