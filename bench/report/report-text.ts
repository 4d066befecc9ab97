import type { Comparison, ScenarioReport } from '../comparison.ts';
import { type Figure, figuresOfMetric } from './figure.ts';
import { judgeTarget } from './judge-target.ts';
import { formatNumber, formatRatio, formatSetting, formatShare } from './numbers.ts';
import { layOutColumns } from './text-table.ts';

/** A figure's cells: median, ratio to the base, spread, and whether the spread is noise. */
export function cellsOf({ metric, isBase, median, ratio, spread, isNoise }: Figure): readonly string[] {
  return [
    formatNumber(median, metric.digits),
    isBase ? 'base' : ratio === null ? '–' : formatRatio(ratio),
    spread === null ? '–' : formatShare(spread),
    isNoise ? 'noise' : '',
  ];
}

function comparisonText(scenario: string, comparison: Comparison): string {
  const { id, title, driver, settings, rounds } = comparison;
  const said = Object.entries({ rounds, ...settings }).map(
    ([name, value]) => `${name} ${formatSetting(value)}`,
  );
  const rows = comparison.metrics.flatMap((metric) => [
    [metric.label, 'median', 'ratio', 'spread'],
    ...figuresOfMetric(comparison, metric).map((figure) => [
      `  ${figure.contender.name}`,
      ...cellsOf(figure),
    ]),
  ]);
  const remarks = (comparison.remarks ?? []).map((remark) => `note: ${remark}`);
  const head = [`${scenario} / ${id}: ${title}`, `driven by ${driver}; ${said.join(', ')}`];
  return [...head, '', ...layOutColumns(rows), ...remarks].join('\n');
}

function targetLines(report: ScenarioReport): readonly string[] {
  if (report.targets.length === 0) return [];
  const rows = report.targets.map((target) => {
    const { what, bound, figure, spread, text } = judgeTarget(report, target);
    return [`${target.comparison}: ${what}`, bound, figure, spread, text];
  });
  return [layOutColumns([['target', 'bound', 'figure', 'spread', 'verdict'], ...rows]).join('\n')];
}

/**
 * @param isQuick whether the figures mean nothing, so that no target is judged by them
 * @returns what a scenario measured, as tables for a terminal
 */
export function reportText(report: ScenarioReport, isQuick: boolean): string {
  const missing = report.missing.map(({ name, why }) => `not measured: ${name}: ${why}`);
  return [
    ...report.comparisons.map((comparison) => comparisonText(report.scenario, comparison)),
    ...(isQuick ? [] : targetLines(report)),
    ...(missing.length === 0 ? [] : [missing.join('\n')]),
  ].join('\n\n');
}
