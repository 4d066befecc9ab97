import type { Comparison, Metric, ScenarioReport } from './comparison.ts';
import type { ClosedLoopDriver } from './load/closed-loop.ts';

/** The command's options for a scenario. */
export interface BenchSettings {
  /** Duration of each measured round. */
  readonly seconds: number;
  readonly connections: number;
  /** Rounds of each comparison. Each round measures every contender. */
  readonly rounds: number;
  /** The load generators of the closed loop; each comparison of throughput runs with every one of them. */
  readonly drivers: readonly ClosedLoopDriver[];
  /** Small sizes and one short round. It shows that a scenario runs; the figures mean nothing. */
  readonly isQuick: boolean;
  /** Programs of the peers to measure, by their names in `binaryPeers`. */
  readonly peerPrograms: ReadonlyMap<string, string>;
  /** A built checkout of an older commit to compare with; null without. */
  readonly checkoutBefore: string | null;
  /** A running server to measure; null if each scenario starts its own. */
  readonly elsewhere: ServerElsewhere | null;
}

/** A Burgee that the suite did not start. Its process cannot be measured. */
export interface ServerElsewhere {
  readonly origin: string;
  /**
   * A Management API token with permission write in a single-environment project. The scenario makes its flags with it.
   */
  readonly token: string;
  /** The id of the token's project. */
  readonly projectId: string;
}

/** The tools of a scenario. */
export interface Bench {
  readonly settings: BenchSettings;
  /** Runs a comparison in alternating rounds, shows progress, and keeps every figure. */
  compare(plan: ComparisonPlan): Promise<Comparison>;
  /** Shows a line of progress for slow work outside the rounds, such as "applying 1,000,000 flags". */
  note(text: string): void;
}

/** One figure for each metric's key. Every contender has the same keys in every round. */
export type Measurement = Readonly<Record<string, number>>;

export interface ComparisonPlan extends Omit<Comparison, 'metrics' | 'rounds' | 'contenders' | 'histograms'> {
  readonly metrics: readonly Omit<Metric, 'values'>[];
  readonly contenders: readonly ContenderPlan[];
  /** Fewer rounds than the settings', for slow comparisons. */
  readonly rounds?: number;
}

export type ContenderPlan = Omit<Comparison['contenders'][number], 'measure'> & {
  /**
   * Measures one round. It may also give a latency histogram, which is merged with those of the contender's earlier
   * rounds.
   */
  measure(seconds: number): Promise<{ readonly figures: Measurement; readonly histogram?: string }>;
  /** Whether `compare` first runs the contender for a second without keeping the figures (never when quick). */
  readonly isWarmedUp: boolean;
};

/** A question that the suite answers with a measurement. */
export interface Scenario {
  readonly name: string;
  /** The line about it that `npm run bench` prints. */
  readonly summary: string;
  /** Whether it can measure a server elsewhere (`--server`). */
  readonly runsElsewhere: boolean;
  /** Whether it can compare this build with that of an older commit (`--before`); not unless given. */
  readonly runsBefore?: boolean;
  run(bench: Bench): Promise<ScenarioReport>;
}
