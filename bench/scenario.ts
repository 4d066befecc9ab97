import type { Comparison, Metric, ScenarioReport } from './comparison.ts';
import type { ClosedLoopDriver } from './load/closed-loop.ts';

/** How a scenario is to be run: the command's options. */
export interface BenchSettings {
  /** Of each measured round. */
  readonly seconds: number;
  readonly connections: number;
  /** Rounds of each comparison; contenders take turns within each. */
  readonly rounds: number;
  /** What makes the closed-loop load; each comparison of throughput is run with every one of them. */
  readonly drivers: readonly ClosedLoopDriver[];
  /** Sizes cut down and one short round: shows that a scenario runs, measures nothing. */
  readonly isQuick: boolean;
  /** Programs of servers to compare with, by the names of `binaryPeers`; none that is not given is measured. */
  readonly peerPrograms: ReadonlyMap<string, string>;
  /** A server that already runs elsewhere, or null: each scenario starts what it measures. */
  readonly elsewhere: ServerElsewhere | null;
}

/** A Burgee that somebody else started: nothing is known of its process. */
export interface ServerElsewhere {
  readonly origin: string;
  /** A Management API token with permission write in a single-environment project: the scenario makes its flags with it. */
  readonly token: string;
  /** The id of the token's project. */
  readonly projectId: string;
}

/** What a scenario is handed. */
export interface Bench {
  readonly settings: BenchSettings;
  /** Runs a comparison in alternating rounds, with progress, and keeps every figure. */
  compare(plan: ComparisonPlan): Promise<Comparison>;
  /** One line of progress about what takes long outside the rounds, such as "applying 1,000,000 flags". */
  note(text: string): void;
}

/** One figure a metric's key; every contender gives the same keys every round. */
export type Measurement = Readonly<Record<string, number>>;

export interface ComparisonPlan extends Omit<Comparison, 'metrics' | 'rounds' | 'contenders' | 'histograms'> {
  readonly metrics: readonly Omit<Metric, 'values'>[];
  readonly contenders: readonly ContenderPlan[];
  /** Fewer than the settings', for what takes long. */
  readonly rounds?: number;
}

export type ContenderPlan = Omit<Comparison['contenders'][number], 'measure'> & {
  /** One round. It may also give a latency histogram, which is added to the contender's of earlier rounds. */
  measure(seconds: number): Promise<{ readonly figures: Measurement; readonly histogram?: string }>;
  /** Whether `compare` first runs it for a second (not at all when quick) without keeping the figures. */
  readonly isWarmedUp: boolean;
};

/** A question that the suite answers by measuring. */
export interface Scenario {
  readonly name: string;
  /** One line of the list that `npm run bench` prints. */
  readonly summary: string;
  /** Whether it can measure a server that runs elsewhere (`--server`). */
  readonly runsElsewhere: boolean;
  run(bench: Bench): Promise<ScenarioReport>;
}
