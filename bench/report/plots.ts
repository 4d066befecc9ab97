import type { Comparison, Metric } from '../comparison.ts';
import { barPlot } from './bar-plot.ts';
import { linePlot } from './line-plot.ts';
import { percentilePlot } from './percentile-plot.ts';

/** A picture of the page of results. */
export interface Plot {
  /** The file's name, unique among all plots. */
  readonly file: string;
  readonly title: string;
  readonly svg: string;
}

/** Metrics that the percentile curves show better. */
const latencyKeys: ReadonlySet<string> = new Set(['meanUs', 'p50Us', 'p90Us', 'p99Us', 'p999Us', 'maxUs']);
/** Metrics about the measurement itself. */
const checkKeys: ReadonlySet<string> = new Set(['lateP99Us', 'probes', 'changesKept']);

function drawnMetrics({ metrics, histograms }: Comparison): readonly Metric[] {
  const hasCurves = histograms !== undefined;
  return metrics.filter(({ key }) => !checkKeys.has(key) && !(hasCurves && latencyKeys.has(key)));
}

/**
 * @returns lines if all contenders have a place on an axis, otherwise bars; and percentile curves if there are
 * histograms
 */
export function plotsOf(scenario: string, comparison: Comparison): readonly Plot[] {
  const metrics = drawnMetrics(comparison);
  const name = `${scenario}-${comparison.id}`;
  const about = `${scenario}, ${comparison.id}`;
  const isAxis = comparison.contenders.length > 2 && comparison.contenders.every(({ x }) => x !== undefined);
  const ratioTitle = `${about}: ratios to ${comparison.base}`;
  const latencyTitle = `${about}: latency by percentile, all rounds`;
  const drawn = [
    {
      file: `${name}.svg`,
      title: ratioTitle,
      svg: (isAxis ? linePlot : barPlot)(comparison, metrics, ratioTitle),
    },
    { file: `${name}-percentiles.svg`, title: latencyTitle, svg: percentilePlot(comparison, latencyTitle) },
  ];
  return drawn.flatMap(({ svg, ...plot }) => (svg === null ? [] : [{ ...plot, svg }]));
}
