import { NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EvaluationCounts } from '../../../contracts/console/evaluation-views.ts';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { evaluationsQuery } from '../../client/queries.ts';
import { PageEmpty, PageError, PageLoading } from '../../parts/page-states.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useProject } from '../../shell/project-context.ts';
import { EvaluationChart } from './evaluation-chart.tsx';
import { shownSeries } from './evaluation-series.ts';
import { EvaluationTable } from './evaluation-table.tsx';

interface LoadedProps {
  readonly counts: EvaluationCounts;
}

function Loaded({ counts }: LoadedProps) {
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
        <PageEmpty title="Not asked in the last 24 hours">
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
  if (counts.isPending) return <PageLoading what="evaluations" />;
  if (isUnreadable(counts)) return <PageError error={counts.error} onRetry={() => void counts.refetch()} />;
  return <Loaded counts={counts.data} />;
}
