import type { Comparison, Metric } from '../comparison.ts';
import { type Figure, figuresOfMetric } from './figure.ts';
import { formatNumber, formatRatio } from './numbers.ts';
import { linearScale, logScale, niceEnd, type Scale } from './scale.ts';
import { fitText, place, plotWidth, svgDocument, svgHeading, svgLine, svgText, textWidth } from './svg.ts';

const nameSize = 14;
/** Room for the contenders' names: the same in all plots, wider only for long names. */
const nameWidths = { least: 220, most: 310 } as const;
const figureWidth = 220;
const barsRight = plotWidth - figureWidth;
const headingHeight = 28;
const rowHeight = 27;
const headHeight = 34;
const axisHeight = 34;
/** Above this ratio the axis is logarithmic and starts at 1. */
const linearMost = 6;

type RatioFigure = Figure & { readonly ratios: readonly number[]; readonly ratio: number };

function hasRatio(figure: Figure): figure is RatioFigure {
  return figure.ratios?.every((ratio) => ratio > 0) ?? false;
}

function nameWidthFor({ contenders }: Comparison): number {
  const widest = Math.max(...contenders.map(({ name }) => textWidth(name, nameSize)));
  return Math.min(nameWidths.most, Math.max(nameWidths.least, Math.ceil(widest)));
}

/** The horizontal positions of a row's parts. */
interface RowScale extends Scale {
  /** The ratio at which bars begin. */
  readonly start: number;
  readonly nameWidth: number;
}

function scaleFor(figures: readonly RatioFigure[], nameWidth: number): RowScale {
  const all = figures.flatMap(({ ratios }) => ratios);
  const [least, most] = [Math.min(...all, 1), Math.max(...all, 1)];
  const barsLeft = nameWidth + 10;
  if (most <= linearMost && least >= 1 / 20)
    return { ...linearScale(most, barsLeft, barsRight), start: 0, nameWidth };
  const scale = logScale(niceEnd(least, 'below'), niceEnd(most, 'above'), barsLeft, barsRight);
  return { ...scale, start: 1, nameWidth };
}

function drawRow(figure: RatioFigure, scale: RowScale, top: number): string[] {
  const { contender, isBase, ratio, ratios, metric, isNoise } = figure;
  const [from, to] = [scale.place(scale.start), scale.place(ratio)];
  const [low, high] = [scale.place(Math.min(...ratios)), scale.place(Math.max(...ratios))];
  const middle = top + rowHeight / 2;
  const shown = `${formatRatio(ratio)}${isNoise ? ' (noise)' : ''}`;
  const whisker = [
    svgLine('whisker', low, middle, high, middle),
    svgLine('whisker', low, middle - 4, low, middle + 4),
    svgLine('whisker', high, middle - 4, high, middle + 4),
  ];
  return [
    svgText(scale.nameWidth, middle + 5, fitText(contender.name, scale.nameWidth, nameSize), {
      anchor: 'end',
      className: 'name',
    }),
    `<rect class="${isBase ? 'base' : 'bar'}" x="${place(Math.min(from, to))}" y="${place(top + 5)}" width="${place(Math.max(1, Math.abs(to - from)))}" height="${rowHeight - 10}" rx="2"/>`,
    ...(isBase || ratios.length < 2 ? [] : whisker),
    svgText(barsRight + 14, middle + 5, isBase ? '1' : shown, { className: 'strong' }),
    svgText(plotWidth - 4, middle + 5, formatNumber(figure.median, metric.digits), {
      anchor: 'end',
      size: 12.5,
    }),
  ];
}

function drawMetric(comparison: Comparison, metric: Metric, top: number): { body: string[]; height: number } {
  const figures = figuresOfMetric(comparison, metric).filter(hasRatio);
  const scale = scaleFor(figures, nameWidthFor(comparison));
  const rowsTop = top + headHeight;
  const bottom = rowsTop + figures.length * rowHeight;
  const heading = `${metric.label}, ratio to ${comparison.base}`;
  const axisText = `${metric.better} is better${scale.start === 1 ? ', logarithmic' : ''}`;
  const one = scale.place(1);
  return {
    body: [
      svgText(0, top + 18, fitText(heading, plotWidth, 14), { className: 'strong', size: 14 }),
      svgText(plotWidth - 4, bottom + 19, axisText, { anchor: 'end', size: 12 }),
      ...scale.ticks.flatMap((tick) => [
        svgLine('grid', scale.place(tick), rowsTop, scale.place(tick), bottom + 4),
        svgText(scale.place(tick), bottom + 19, String(tick), { anchor: 'middle', size: 12 }),
      ]),
      ...figures.flatMap((figure, row) => drawRow(figure, scale, rowsTop + row * rowHeight)),
      svgLine('one', one, rowsTop - 3, one, bottom + 4),
    ],
    height: headHeight + figures.length * rowHeight + axisHeight,
  };
}

/**
 * Draws the ratios to the base as bars. A bar's whisker goes from its smallest to its largest round.
 *
 * @returns null when no metric has a ratio
 */
export function barPlot(comparison: Comparison, metrics: readonly Metric[], title: string): string | null {
  const drawable = metrics.filter((metric) => figuresOfMetric(comparison, metric).every(hasRatio));
  if (drawable.length === 0 || comparison.contenders.length < 2) return null;
  const body = [svgHeading(title)];
  let top = headingHeight;
  for (const metric of drawable) {
    const drawn = drawMetric(comparison, metric, top);
    body.push(...drawn.body);
    top += drawn.height;
  }
  return svgDocument(top, title, body);
}
