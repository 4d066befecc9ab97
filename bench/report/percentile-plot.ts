import type { Comparison } from '../comparison.ts';
import { type LatencySummary, readHistogram } from '../load/latency-histogram.ts';
import { formatNumber } from './numbers.ts';
import { logScale, niceEnd, type Scale } from './scale.ts';
import { colours, place, plotWidth, svgDocument, svgHeading, svgLegend, svgLine, svgText } from './svg.ts';

const left = 74;
const right = plotWidth - 30;
const plotHeight = 320;
const percentiles = [0, 50, 90, 99, 99.9, 99.99, 99.999] as const;
const stepsOfDecade = 24;

interface Curve {
  readonly name: string;
  readonly latencies: LatencySummary;
}

/** @returns one request in how many is slower: 1 for p0, 10 for p90, 1,000 for p99.9 */
function rarity(percentile: number): number {
  return 100 / (100 - percentile);
}

/** The percentiles with at least some ten slower requests. */
function reachOf(curves: readonly Curve[]): number {
  const fewest = Math.min(...curves.map(({ latencies }) => latencies.count));
  return Math.min(rarity(99.999), Math.max(10, fewest / 10));
}

function drawCurve({ latencies }: Curve, index: number, reach: number, x: Scale, y: Scale): string {
  const steps = Math.ceil(Math.log10(reach) * stepsOfDecade);
  const points = Array.from({ length: steps + 1 }, (_unused, step) => {
    const rare = reach ** (step / steps);
    const us = Math.max(1, latencies.percentileUs(100 - 100 / rare));
    return `${place(x.place(rare))},${place(y.place(us))}`;
  });
  return `<polyline class="series s${index % colours}" points="${points.join(' ')}"/>`;
}

/** The first label stands left of its line, because p50 is close to where the curves begin. */
function drawPercentiles(reach: number, x: Scale, top: number, bottom: number): string[] {
  return percentiles
    .filter((percentile) => rarity(percentile) <= reach * 1.0001)
    .flatMap((percentile) => {
      const at = x.place(rarity(percentile));
      const label = percentile === 0 ? 'fastest' : `p${percentile}`;
      return [
        svgLine('grid', at, top, at, bottom),
        svgText(at, bottom + 20, label, { anchor: percentile === 0 ? 'end' : 'middle', size: 12 }),
      ];
    });
}

function formatLatency(us: number): string {
  if (us < 1000) return `${formatNumber(us, 0)} µs`;
  return us < 1e6 ? `${formatNumber(us / 1000, 0)} ms` : `${formatNumber(us / 1e6, 0)} s`;
}

function latencyScale(curves: readonly Curve[], reach: number, top: number, bottom: number): Scale {
  const least = Math.min(...curves.map(({ latencies }) => latencies.percentileUs(0)));
  const most = Math.max(...curves.map(({ latencies }) => latencies.percentileUs(100 - 100 / reach)));
  const low = niceEnd(Math.max(1, least), 'below');
  return logScale(low, Math.max(low * 10, niceEnd(Math.max(1, most), 'above')), bottom, top);
}

/**
 * Draws latencies by percentile, one curve for each contender, on an axis stretched towards the slowest requests.
 *
 * @returns null when the comparison has no histograms
 */
export function percentilePlot(comparison: Comparison, title: string): string | null {
  const { contenders, histograms = {} } = comparison;
  const curves = contenders.flatMap(({ name }): Curve[] => {
    const encoded = histograms[name];
    return encoded === undefined ? [] : [{ name, latencies: readHistogram(encoded) }];
  });
  if (curves.length === 0) return null;
  const reach = reachOf(curves);
  const legend = svgLegend(
    curves.map(({ name }) => name),
    left,
    36,
  );
  const top = 36 + legend.height + 4;
  const bottom = top + plotHeight;
  const x = logScale(1, reach, left, right);
  const y = latencyScale(curves, reach, top, bottom);
  return svgDocument(bottom + 48, title, [
    svgHeading(title),
    ...legend.body,
    ...y.ticks.flatMap((tick) => [
      svgLine('grid', left, y.place(tick), right, y.place(tick)),
      svgText(left - 8, y.place(tick) + 4, formatLatency(tick), { anchor: 'end', size: 12 }),
    ]),
    ...drawPercentiles(reach, x, top, bottom),
    ...curves.map((curve, index) => drawCurve(curve, index, reach, x, y)),
    svgText((left + right) / 2, bottom + 40, 'percentile: the slowest are on the right', {
      anchor: 'middle',
      className: 'name',
      size: 13,
    }),
  ]);
}
