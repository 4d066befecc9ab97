import type { Comparison, Contender, Metric } from '../comparison.ts';
import { type Figure, figuresOfMetric } from './figure.ts';
import { formatNumber, formatRatio } from './numbers.ts';
import { linearScale, logScale, niceEnd, type Scale } from './scale.ts';
import {
  colours,
  place,
  plotWidth,
  svgDocument,
  svgHeading,
  svgLegend,
  svgLine,
  svgText,
  textWidth,
} from './svg.ts';

const left = 64;
const right = plotWidth - 30;
const plotHeight = 300;
/** Whiskers of several series at the same place are drawn side by side. */
const seriesApart = 4;
const linearMost = 6;

interface Point {
  readonly x: number;
  readonly figure: Figure & { readonly ratios: readonly number[]; readonly ratio: number };
}

/** One line: a metric's ratio along the axis. */
interface Series {
  readonly label: string;
  readonly points: readonly Point[];
}

interface Axis {
  readonly ticks: readonly number[];
  place(x: number): number;
}

/** A logarithmic axis has no 0: it is drawn a decade before the first other value. */
function axisOf(contenders: readonly Contender[]): Axis {
  const ticks = contenders.map(({ x = 0 }) => x).sort((a, b) => a - b);
  const positive = ticks.filter((x) => x > 0);
  const [least = 1, most = 1] = [positive[0], positive.at(-1)];
  const zero = least / 10;
  const scale = logScale(ticks[0] === 0 ? zero : least, most, left + 30, right - 30);
  return { ticks, place: (x) => scale.place(x === 0 ? zero : x) };
}

function seriesOf(comparison: Comparison, metric: Metric): Series | null {
  const points = figuresOfMetric(comparison, metric).flatMap((figure): Point[] => {
    const { ratios, ratio, contender } = figure;
    if (ratios === null || ratio === null || ratio <= 0) return [];
    return [{ x: contender.x ?? 0, figure: { ...figure, ratios, ratio } }];
  });
  if (points.length < comparison.contenders.length) return null;
  return {
    label: `${metric.label} (${metric.better} is better)`,
    points: points.sort((a, b) => a.x - b.x),
  };
}

/** The axis' name: `flags` for contenders from `100 flags` to `1,000,000 flags`. */
function axisTitle(contenders: readonly Contender[]): string {
  const last = contenders.reduce((most, one) => ((one.x ?? 0) > (most.x ?? 0) ? one : most));
  return last.name.replace(/^[\d,.]+ /, '');
}

function drawSeries({ points }: Series, index: number, axis: Axis, y: Scale): string[] {
  const at = points.map(({ x, figure }) => `${place(axis.place(x))},${place(y.place(figure.ratio))}`);
  const colour = index % colours;
  const whiskers = points.flatMap(({ x, figure }) => {
    const low = y.place(Math.min(...figure.ratios));
    return [svgLine(`s${colour}`, axis.place(x), low, axis.place(x), y.place(Math.max(...figure.ratios)))];
  });
  const dots = points.map(
    ({ x, figure }) =>
      `<circle class="f${colour}" cx="${place(axis.place(x))}" cy="${place(y.place(figure.ratio))}" r="3.5"/>`,
  );
  return [`<polyline class="series s${colour}" points="${at.join(' ')}"/>`, ...whiskers, ...dots];
}

/** Leaves out a label that would overlap the one before it; its grid line stays. */
function drawAxis(axis: Axis, top: number, bottom: number): string[] {
  let freeFrom = 0;
  return axis.ticks.flatMap((tick) => {
    const x = axis.place(tick);
    const label = formatNumber(tick, 0);
    const half = textWidth(label, 12) / 2;
    const line = svgLine('grid', x, top, x, bottom);
    if (x - half < freeFrom) return [line];
    freeFrom = x + half + 4;
    return [line, svgText(x, bottom + 17, label, { anchor: 'middle', size: 12 })];
  });
}

function yScale(series: readonly Series[], top: number, bottom: number): Scale {
  const all = series.flatMap(({ points }) => points.flatMap(({ figure }) => figure.ratios));
  const most = Math.max(...all, 1);
  if (most <= linearMost) return linearScale(most, bottom, top);
  const least = Math.min(...all.filter((ratio) => ratio > 0), 1);
  return logScale(niceEnd(least, 'below'), niceEnd(most, 'above'), bottom, top);
}

/**
 * Draws ratios to the base along a logarithmic axis, one line for each metric, with whiskers from the smallest to the
 * largest round.
 *
 * @returns null when no metric has a ratio for every contender
 */
export function linePlot(comparison: Comparison, metrics: readonly Metric[], title: string): string | null {
  const series = metrics.map((metric) => seriesOf(comparison, metric)).filter((one) => one !== null);
  if (series.length === 0) return null;
  const legend = svgLegend(
    series.map(({ label }) => label),
    left,
    36,
  );
  const top = 36 + legend.height + 4;
  const bottom = top + plotHeight;
  const axis = axisOf(comparison.contenders);
  const y = yScale(series, top, bottom);
  return svgDocument(bottom + 48, title, [
    svgHeading(title),
    ...legend.body,
    ...y.ticks.flatMap((tick) => [
      svgLine('grid', left, y.place(tick), right, y.place(tick)),
      svgText(left - 8, y.place(tick) + 4, formatTick(tick), { anchor: 'end', size: 12 }),
    ]),
    ...drawAxis(axis, top, bottom),
    svgLine('one', left, y.place(1), right, y.place(1)),
    ...series.flatMap((one, index) => {
      const aside = (index - (series.length - 1) / 2) * seriesApart;
      return drawSeries(one, index, { ...axis, place: (x) => axis.place(x) + aside }, y);
    }),
    svgText((left + right) / 2, bottom + 38, axisTitle(comparison.contenders), {
      anchor: 'middle',
      className: 'name',
      size: 13,
    }),
  ]);
}

function formatTick(tick: number): string {
  return tick >= 1000 ? formatRatio(tick) : String(tick);
}
