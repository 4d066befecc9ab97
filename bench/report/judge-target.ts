import type { Comparison, ScenarioReport, Target } from '../comparison.ts';
import { findFigure, noiseSpread } from './figure.ts';
import { formatNumber, formatRatio, formatShare } from './numbers.ts';

/** A target and its measured figure, as the report shows them. */
export interface Judgement {
  readonly what: string;
  /** `at least 0.72 of bare`, `at most 0` */
  readonly bound: string;
  readonly figure: string;
  readonly spread: string;
  readonly verdict: 'reached' | 'missed' | 'not measured';
  /** The verdict, and by how much the target was missed. */
  readonly text: string;
}

/** Compares a target with the figure that its scenario measured. */
export function judgeTarget(report: ScenarioReport, target: Target): Judgement {
  const comparison = report.comparisons.find(({ id }) => id === target.comparison);
  const { what } = target;
  const limit = 'atLeast' in target.bound ? target.bound.atLeast : target.bound.atMost;
  const limitText = `${'atLeast' in target.bound ? 'at least' : 'at most'} ${formatLimit(limit)}`;
  const bound =
    target.of === 'ratio' && comparison !== undefined ? `${limitText} of ${comparison.base}` : limitText;
  const found = comparison === undefined ? null : findFigure(comparison, target.metric, target.contender);
  const value = target.of === 'ratio' ? found?.ratio : found?.median;
  if (found === null || value === null || value === undefined) {
    const text = `not measured: ${whyNot(target, comparison)}`;
    return { what, bound, figure: '–', spread: '–', verdict: 'not measured', text };
  }
  const missedBy = 'atLeast' in target.bound ? limit - value : value - limit;
  const verdict = missedBy > 0 ? 'missed' : 'reached';
  const by = limit === 0 ? formatNumber(missedBy, found.metric.digits) : formatShare(missedBy / limit);
  const spread = target.of === 'ratio' ? found.spread : found.ownSpread;
  const noise = spread !== null && spread > noiseSpread ? ' (noise)' : '';
  return {
    what,
    bound,
    figure: target.of === 'ratio' ? formatRatio(value) : formatNumber(value, found.metric.digits),
    spread: spread === null ? '–' : formatShare(spread),
    verdict,
    text: `${verdict === 'missed' ? `missed by ${by}` : verdict}${noise}`,
  };
}

/** Without wrk there is no comparison driven by wrk, and not every system offers CPU times and memory. */
function whyNot(target: Target, comparison: Comparison | undefined): string {
  if (comparison === undefined) {
    const isOfWrk = target.comparison.startsWith('throughput-wrk');
    return isOfWrk ? 'wrk did not drive' : `${target.comparison} was not run`;
  }
  const hasMetric = comparison.metrics.some(({ key }) => key === target.metric);
  return hasMetric
    ? `there is no figure of ${target.contender}`
    : `this system does not offer ${target.metric}`;
}

/** Shows a bound with as many decimals as it has in the code. */
function formatLimit(limit: number): string {
  const decimals = String(limit).split('.')[1]?.length ?? 0;
  return formatNumber(limit, decimals);
}
