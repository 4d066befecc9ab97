import { NativeSelect, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EvaluationCounts } from '../../../contracts/console/evaluation-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { evaluationsQuery } from '../../client/queries.ts';
import { formatMoment } from '../../parts/format-time.ts';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { numberWords } from '../../parts/words.ts';
import { useProject } from '../../shell/project-context.ts';
import { EvaluationChart, type ShownSeries } from './evaluation-chart.tsx';
import classes from './evaluations-tab.module.css';
import { useUncounted } from './uncounted.ts';

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
                <td>{numberWords(series.on[hour] ?? 0)}</td>
                <td>{numberWords(series.off[hour] ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

function Loaded({ counts }: { readonly counts: EvaluationCounts }) {
  const { id: projectId, environments } = useProject();
  const uncounted = useUncounted(projectId);
  const [environment, setEnvironment] = useState('');
  const series = shownSeries(counts, environment === '' ? null : Number(environment));
  const [on, off] = [numberWords(series.onTotal), numberWords(series.offTotal)];
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
          Evaluations are counted hour by hour, a few seconds after they happen. {uncounted.words}
        </PageEmpty>
      ) : (
        <Panel title="Evaluations per hour" aside={`${on} on, ${off} off in 24 hours`}>
          <EvaluationChart series={series} />
          <EvaluationTable series={series} />
          {uncounted.isLikely && <Text size="sm">{uncounted.words}</Text>}
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
