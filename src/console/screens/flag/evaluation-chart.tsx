import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import type { ShownSeries } from './evaluation-series.ts';

const height = 260;

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const hourWords = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayWords = new Intl.DateTimeFormat('en-GB', { month: 'short', day: 'numeric' });

/** The hour, and the day below the first one of it. @param seconds Unix time of each mark */
function timeWords(seconds: readonly number[]): string[] {
  const days = seconds.map((at) => dayWords.format(at * 1000));
  return seconds.map((at, index) => {
    const hour = hourWords.format(at * 1000);
    return days[index] === days[index - 1] ? hour : `${hour}\n${days[index]}`;
  });
}

function axis(): uPlot.Axis {
  const line = { stroke: colour('--line'), width: 1 };
  return { stroke: colour('--quiet'), grid: line, ticks: line };
}

/** An hour without any is no bar: one of no height would still draw its edge. */
function bars(counts: readonly number[]): (number | null)[] {
  return counts.map((count) => (count === 0 ? null : count));
}

/** Bars of one hour; on stands on top of off, as parts of one count. */
function options(width: number): uPlot.Options {
  const paths = uPlot.paths.bars?.({ size: [0.7, 60] });
  const part = (label: string, paint: string): uPlot.Series => ({
    label,
    stroke: paint,
    fill: paint,
    ...(paths === undefined ? {} : { paths }),
    points: { show: false },
  });
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_, first, last) => [first - 1800, last + 1800] },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] },
    },
    axes: [
      { ...axis(), space: 70, values: (_, seconds) => timeWords(seconds) },
      { ...axis(), size: 60 },
    ],
    series: [{}, part('All', colour('--chart-off')), part('On', colour('--chart-on'))],
  };
}

/** The last 24 hours as bars: on in front of all. The table beside it has the same as numbers. */
export function EvaluationChart({ series }: { readonly series: ShownSeries }) {
  const scheme = useComputedColorScheme();
  const { ref, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme changes what the colours are read as.
  useEffect(() => {
    if (place.current === null || width === 0) return undefined;
    const all = series.on.map((count, hour) => count + (series.off[hour] ?? 0));
    const hours = series.hours.map((at) => at / 1000);
    const chart = new uPlot(options(width), [hours, bars(all), bars(series.on)], place.current);
    return () => chart.destroy();
  }, [series, width, scheme]);
  return (
    <div ref={ref}>
      <div ref={place} aria-hidden="true" />
    </div>
  );
}
