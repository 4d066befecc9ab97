import type { Comparison, ResultFile } from '../comparison.ts';
import { median } from '../load/statistics.ts';
import { type Figure, figuresOf } from './figure.ts';

/** A smaller difference of medians does not count as a movement, however steady the rounds were. */
const leastChange = 0.02;

export type Verdict = 'better' | 'worse' | 'within the noise' | 'one round: cannot tell';

/** One figure in both runs. */
export interface Movement {
  readonly comparison: string;
  readonly contender: string;
  readonly metric: string;
  /** Medians of the rounds' ratios to the base, or of the contender's own values where ratios are meaningless. */
  readonly of: 'ratio' | 'value';
  readonly digits: number;
  readonly before: number;
  readonly now: number;
  readonly verdict: Verdict;
}

export interface RunsCompared {
  readonly movements: readonly Movement[];
  /** Parts that only one of the runs has, as sentences. */
  readonly onlyOne: readonly string[];
  /** Differences in settings or load, which may cause a movement. */
  readonly unlike: readonly string[];
}

interface Rounds {
  readonly values: readonly number[];
  readonly better: 'more' | 'less';
}

/**
 * A figure moved if the rounds of the two runs do not overlap, so that the lowest of one lies above the highest of the
 * other, and their medians differ by over 2 %.
 */
export function judgeMovement(before: readonly number[], { values: now, better }: Rounds): Verdict {
  const [old, fresh] = [median(before), median(now)];
  if (before.length < 2 || now.length < 2) return 'one round: cannot tell';
  const isSmall = Math.abs(fresh - old) <= Math.abs(old) * leastChange;
  const overlaps = Math.min(...before) <= Math.max(...now) && Math.min(...now) <= Math.max(...before);
  if (isSmall || overlaps) return 'within the noise';
  return fresh > old === (better === 'more') ? 'better' : 'worse';
}

function keyOf({ contender, metric }: Figure): string {
  return JSON.stringify([contender.name, metric.key]);
}

function moveOf(comparison: string, before: Figure, now: Figure): Movement | null {
  if (now.isBase) return null;
  const of = before.ratios !== null && now.ratios !== null ? 'ratio' : 'value';
  const valuesOf = ({ ratios, metric, contender }: Figure): readonly number[] =>
    (of === 'ratio' ? ratios : metric.values[contender.name]) ?? [];
  const [old, fresh] = [valuesOf(before), valuesOf(now)];
  return {
    comparison,
    contender: now.contender.name,
    metric: now.metric.label,
    of,
    digits: now.metric.digits,
    before: median(old),
    now: median(fresh),
    verdict: judgeMovement(old, { values: fresh, better: now.metric.better }),
  };
}

function unlikeOf(name: string, before: Comparison, now: Comparison): readonly string[] {
  const conditionsOf = (comparison: Comparison): ReadonlyMap<string, string> =>
    new Map([
      ['driver', comparison.driver],
      ...Object.entries(comparison.settings).map(([key, value]) => [key, String(value)] as const),
    ]);
  const [old, fresh] = [conditionsOf(before), conditionsOf(now)];
  return [...new Set([...old.keys(), ...fresh.keys()])]
    .filter((key) => old.get(key) !== fresh.get(key))
    .map((key) => `${name}: ${key} was ${old.get(key) ?? 'not set'}, now ${fresh.get(key) ?? 'not set'}`);
}

function compareOne(name: string, before: Comparison, now: Comparison): RunsCompared {
  if (before.base !== now.base) {
    const text = `${name}: the base was ${before.base}, now ${now.base}: its ratios cannot be compared`;
    return { movements: [], onlyOne: [], unlike: [text] };
  }
  const old = new Map(figuresOf(before).map((figure) => [keyOf(figure), figure]));
  const movements: Movement[] = [];
  const onlyOne: string[] = [];
  const report = (figure: Figure, where: string): void => {
    onlyOne.push(`${name}, ${figure.contender.name}, ${figure.metric.label}: only in ${where}`);
  };
  for (const figure of figuresOf(now)) {
    const match = old.get(keyOf(figure));
    old.delete(keyOf(figure));
    if (match === undefined) report(figure, 'this run');
    else movements.push(...[moveOf(name, match, figure)].filter((movement) => movement !== null));
  }
  for (const figure of old.values()) report(figure, 'the saved run');
  return { movements, onlyOne, unlike: unlikeOf(name, before, now) };
}

function comparisonsOf(results: readonly ResultFile[]): ReadonlyMap<string, Comparison> {
  const all = results.flatMap(({ report }) =>
    report.comparisons.map((comparison) => [`${report.scenario} / ${comparison.id}`, comparison] as const),
  );
  return new Map(all);
}

/** The scenarios, and the comparisons of common scenarios, that `other` lacks. */
function lackingIn(
  other: readonly ResultFile[],
  results: readonly ResultFile[],
  where: string,
): readonly string[] {
  const others = new Set(other.map(({ report }) => report.scenario));
  const theirs = comparisonsOf(other);
  const names = results.flatMap((result) => {
    if (!others.has(result.report.scenario)) return [result.report.scenario];
    return [...comparisonsOf([result]).keys()].filter((name) => !theirs.has(name));
  });
  return names.map((name) => `${name}: only in ${where}`);
}

/**
 * Finds what moved between two runs. It compares the rounds' ratios to each run's own base, so that the runs may be of
 * different machines. It does not compare the base itself.
 */
export function compareRuns(saved: readonly ResultFile[], current: readonly ResultFile[]): RunsCompared {
  const before = comparisonsOf(saved);
  const both = [...comparisonsOf(current)].flatMap(([name, comparison]) => {
    const old = before.get(name);
    return old === undefined ? [] : [compareOne(name, old, comparison)];
  });
  return {
    movements: both.flatMap(({ movements }) => movements),
    onlyOne: [
      ...both.flatMap(({ onlyOne }) => onlyOne),
      ...lackingIn(saved, current, 'this run'),
      ...lackingIn(current, saved, 'the saved run'),
    ],
    unlike: both.flatMap(({ unlike }) => unlike),
  };
}
