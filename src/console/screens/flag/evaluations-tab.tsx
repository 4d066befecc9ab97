import 'uplot/dist/uPlot.min.css';
import { NativeSelect, Stack, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import type { EvaluationCounts } from '../../../contracts/console/evaluation-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { evaluationsQuery } from '../../client/queries.ts';
import { formatMoment } from '../../parts/format-time.ts';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useProject } from '../../shell/project-context.ts';
import classes from './evaluations-tab.module.css';

interface ShownSeries {
  /** Beginnings of hours in Unix milliseconds, ascending. */
  readonly hours: readonly number[];
  readonly on: readonly number[];
  readonly off: readonly number[];
  readonly onTotal: number;
  readonly offTotal: number;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** @param environment a number; null sums all of them */
function shownSeries({ hours, series }: EvaluationCounts, environment: number | null): ShownSeries {
  const chosen = series.filter(
    ({ environmentNumber }) => environment === null || environmentNumber === environment,
  );
  const on = hours.map((_, hour) => sum(chosen.map((each) => each.on[hour] ?? 0)));
  const off = hours.map((_, hour) => sum(chosen.map((each) => each.off[hour] ?? 0)));
  return { hours, on, off, onTotal: sum(on), offTotal: sum(off) };
}

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

/** An hour without evaluations has no bar: a bar without height would still show its edge. */
function bars(counts: readonly number[]): (number | null)[] {
  return counts.map((count) => (count === 0 ? null : count));
}

/** Bars of one hour; on is stacked on off, as parts of one count. */
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

/** The last 24 hours as bars. The table beside it has the same numbers. */
function EvaluationChart({ series }: { readonly series: ShownSeries }) {
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

/** The chart's numbers as a table: exact, and for readers who cannot see bars. */
function EvaluationTable({ series }: { readonly series: ShownSeries }) {
  return (
    <>
      <p className={classes.legend}>
        <span className={classes.on} /> on <span className={classes.off} /> off
      </p>
      <details className={classes.details}>
        <summary>As numbers</summary>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">Hour beginning</th>
              <th scope="col">On</th>
              <th scope="col">Off</th>
            </tr>
          </thead>
          <tbody>
            {series.hours.map((at, hour) => (
              <tr key={at}>
                <th scope="row">{formatMoment(at)}</th>
                <td>{(series.on[hour] ?? 0).toLocaleString('en')}</td>
                <td>{(series.off[hour] ?? 0).toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function Loaded({ counts }: { readonly counts: EvaluationCounts }) {
  const { environments } = useProject();
  const [environment, setEnvironment] = useState('');
  const series = shownSeries(counts, environment === '' ? null : Number(environment));
  const [on, off] = [series.onTotal.toLocaleString('en'), series.offTotal.toLocaleString('en')];
  return (
    <Stack gap="md">
      {environments.length > 0 && (
        <NativeSelect
          label="Environment"
          w={240}
          value={environment}
          data={[
            { value: '', label: 'All environments' },
            ...environments.map(({ number, name }) => ({ value: String(number), label: name })),
          ]}
          onChange={(event) => setEnvironment(event.currentTarget.value)}
        />
      )}
      {series.onTotal + series.offTotal === 0 ? (
        <PageEmpty title="No evaluations in the last 24 hours">
          Evaluations are counted hour by hour, a few seconds after they happen.
        </PageEmpty>
      ) : (
        <Panel title="Evaluations per hour" aside={`${on} on, ${off} off in 24 hours`}>
          <EvaluationChart series={series} />
          <EvaluationTable series={series} />
        </Panel>
      )}
    </Stack>
  );
}

export function EvaluationsTab({ flag }: { readonly flag: ConsoleFlagView }) {
  const counts = useQuery({ ...evaluationsQuery(flag.projectId, flag.id), refetchInterval: 15_000 });
  if (counts.isPending || isUnreadable(counts)) return <PageUnread of={counts} what="evaluations" />;
  return <Loaded counts={counts.data} />;
}
