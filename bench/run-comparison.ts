import type { Comparison, Metric } from './comparison.ts';
import { mergeHistograms } from './load/latency-histogram.ts';
import type { BenchSettings, ComparisonPlan, ContenderPlan, Measurement } from './scenario.ts';

/** A comparison's progress, reported before each measurement. */
export interface ComparisonStep {
  readonly comparison: string;
  readonly contender: string;
  /** From 1; 0 is the warm-up. */
  readonly round: number;
  readonly rounds: number;
  /** Number of the comparison's measurements that are done, warm-up included. */
  readonly done: number;
  readonly total: number;
}

export interface RunOptions {
  readonly settings: Pick<BenchSettings, 'seconds' | 'rounds' | 'isQuick'>;
  /** When aborted, the comparison ends with its reason, without waiting for the measurement under way. */
  readonly signal: AbortSignal;
  onStep(step: ComparisonStep): void;
}

type Measured = Awaited<ReturnType<ContenderPlan['measure']>>;

const warmUpSeconds = 1;

interface PlannedMeasurement {
  readonly contender: ContenderPlan;
  readonly round: number;
}

/**
 * Every other round takes the contenders in reverse, A B C C B A, so that a machine that slows down or speeds up
 * steadily favours none of them.
 */
function alternate(
  contenders: readonly ContenderPlan[],
  rounds: number,
  isQuick: boolean,
): readonly PlannedMeasurement[] {
  const warmed = isQuick ? [] : contenders.filter(({ isWarmedUp }) => isWarmedUp);
  const planned = warmed.map((contender) => ({ contender, round: 0 }));
  for (let round = 1; round <= rounds; round += 1) {
    const order = round % 2 === 1 ? contenders : contenders.toReversed();
    planned.push(...order.map((contender) => ({ contender, round })));
  }
  return planned;
}

/** @throws Error when the scenario's plan contradicts itself */
function checkPlan({ id, contenders, metrics, base }: ComparisonPlan): void {
  const names = contenders.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Error(`${id}: two contenders have the same name`);
  if (!names.includes(base)) throw new Error(`${id}: the base ${base} is not a contender`);
  if (new Set(metrics.map(({ key }) => key)).size < metrics.length)
    throw new Error(`${id}: two metrics have the same key`);
}

/** @throws what `measure` throws, or the signal's reason as soon as it is aborted */
async function measureUnlessEnded(
  measure: () => Promise<Measured>,
  { signal }: RunOptions,
): Promise<Measured> {
  signal.throwIfAborted();
  let end = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    end = () => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([measure(), ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** @throws Error for a missing figure, or one that is not a number */
function checkFigures(figures: Measurement, metrics: ComparisonPlan['metrics']): void {
  for (const { key } of metrics) {
    const value = figures[key];
    if (value === undefined) throw new Error(`there is no figure for ${key}`);
    if (!Number.isFinite(value)) throw new Error(`${key} is ${value}, which is not a number`);
  }
}

/** The measured figures by contender, in the order of the rounds. */
type Rounds = ReadonlyMap<string, readonly Measured[]>;

async function measureAll(plan: ComparisonPlan, rounds: number, options: RunOptions): Promise<Rounds> {
  const { seconds, isQuick } = options.settings;
  const planned = alternate(plan.contenders, rounds, isQuick);
  const measured = new Map<string, Measured[]>(plan.contenders.map(({ name }) => [name, []]));
  for (const [done, { contender, round }] of planned.entries()) {
    const { name } = contender;
    const total = planned.length;
    options.onStep({ comparison: plan.id, contender: name, round, rounds, done, total });
    const length = round === 0 ? Math.min(warmUpSeconds, seconds) : seconds;
    try {
      const result = await measureUnlessEnded(() => contender.measure(length), options);
      checkFigures(result.figures, plan.metrics);
      if (round > 0) measured.get(name)?.push(result);
    } catch (cause) {
      options.signal.throwIfAborted();
      const when = round === 0 ? 'while it warmed up' : `in round ${round}`;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`comparison ${plan.id}, ${name}, ${when}: ${why}`, { cause });
    }
  }
  return measured;
}

function valuesOf(key: string, measured: Rounds): Metric['values'] {
  return Object.fromEntries(
    [...measured].map(([name, rounds]) => [name, rounds.map(({ figures }) => figures[key] as number)]),
  );
}

function histogramsOf(measured: Rounds): Record<string, string> {
  const merged = [...measured].flatMap(([name, rounds]) => {
    const taken = rounds.flatMap(({ histogram }) => (histogram === undefined ? [] : [histogram]));
    return taken.length === 0 ? [] : [[name, mergeHistograms(taken)] as const];
  });
  return Object.fromEntries(merged);
}

/**
 * Measures contenders in alternating rounds.
 *
 * @throws Error when a contender fails or gives no figure for a metric; it names contender and round
 */
export async function runComparison(plan: ComparisonPlan, options: RunOptions): Promise<Comparison> {
  checkPlan(plan);
  const { contenders, metrics: planned, rounds: roundsMax = Number.POSITIVE_INFINITY, ...kept } = plan;
  const rounds = Math.min(options.settings.rounds, roundsMax);
  const measured = await measureAll(plan, rounds, options);
  const histograms = histogramsOf(measured);
  return {
    ...kept,
    rounds,
    contenders: contenders.map(({ name, what, x }) => ({ name, what, ...(x === undefined ? {} : { x }) })),
    metrics: planned.map((metric) => ({ ...metric, values: valuesOf(metric.key, measured) })),
    ...(Object.keys(histograms).length === 0 ? {} : { histograms }),
  };
}
