import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { flagTabs } from '../../app/searches.ts';
import { isDeletedMeanwhile, isUnreadable } from '../../client/console-error.ts';
import { flagQuery } from '../../client/queries.ts';
import { PageLoading, PageUnread } from '../../parts/page-states.tsx';
import { ProjectLink } from '../../shell/pages.tsx';
import { useProject } from '../../shell/project-context.ts';
import { Gone } from '../gone.tsx';
import { EnvironmentsTab } from './environments-tab.tsx';
import classes from './flag.module.css';
import { FlagHeader } from './flag-header.tsx';
import { FlagReview } from './flag-review.tsx';
import type { TrialInputs } from './try-tab.tsx';
import { type FlagEditing, showFlagChange, useAudienceName, useFlagEditing } from './use-flag-editing.ts';

const HistoryTab = lazy(async () => ({ default: (await import('./history-tab.tsx')).HistoryTab }));
const EvaluationsTab = lazy(async () => ({
  default: (await import('./evaluations-tab.tsx')).EvaluationsTab,
}));
const TryTab = lazy(async () => ({ default: (await import('./try-tab.tsx')).TryTab }));
const CodeTab = lazy(async () => ({ default: (await import('./code-tab.tsx')).CodeTab }));

const route = getRouteApi('/shell/projects/$projectId/flags/$flagId');

function FlagTabs({ editing }: { readonly editing: FlagEditing }) {
  const { flag } = editing;
  const { isMultiEnvironment } = useProject();
  const { tab } = route.useSearch();
  const [inputs, setInputs] = useState<TrialInputs | null>(null);
  const navigate = route.useNavigate();
  const choose = (value: string | null) => {
    const chosen = flagTabs.find((name) => name === value);
    void navigate({ search: chosen === undefined ? {} : { tab: chosen }, replace: true, resetScroll: false });
  };
  return (
    <Tabs value={tab ?? 'state'} onChange={choose} keepMounted={false}>
      <Tabs.List mb="md" className={classes.tabs}>
        <Tabs.Tab value="state">{isMultiEnvironment ? 'Environments' : 'State'}</Tabs.Tab>
        <Tabs.Tab value="history">History</Tabs.Tab>
        <Tabs.Tab value="evaluations">Evaluations</Tabs.Tab>
        <Tabs.Tab value="try">Try it</Tabs.Tab>
        <Tabs.Tab value="code">Code</Tabs.Tab>
      </Tabs.List>
      <Suspense fallback={<PageLoading what="the tab" />}>
        <Tabs.Panel value="state">
          <EnvironmentsTab editing={editing} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryTab editing={editing} onDrafted={() => choose(null)} />
        </Tabs.Panel>
        <Tabs.Panel value="evaluations">
          <EvaluationsTab flag={flag} />
        </Tabs.Panel>
        <Tabs.Panel value="try">
          <TryTab flag={flag} inputs={inputs} onInputs={setInputs} />
        </Tabs.Panel>
        <Tabs.Panel value="code">
          <CodeTab flag={flag} />
        </Tabs.Panel>
      </Suspense>
    </Tabs>
  );
}

interface LoadedFlagProps {
  readonly flag: ConsoleFlagView;
  readonly isDeleted: boolean;
}

function LoadedFlag({ flag, isDeleted }: LoadedFlagProps) {
  const project = useProject();
  const audienceName = useAudienceName();
  const editing = useFlagEditing(flag);
  if (isDeleted) {
    const changes = editing.handle.changes.map(showFlagChange(project));
    const above = <ProjectLink to="/projects/$projectId/flags">Flags</ProjectLink>;
    return <Gone kind="flag" id={flag.id} name={flag.name} {...{ changes, audienceName, above }} />;
  }
  return (
    <>
      <FlagHeader editing={editing} />
      <FlagTabs editing={editing} />
      <FlagReview editing={editing} />
    </>
  );
}

export function FlagScreen() {
  const { id: projectId } = useProject();
  const { flagId } = route.useParams();
  const flag = useQuery(flagQuery(projectId, flagId));
  const isDeleted = isDeletedMeanwhile(flag);
  if (flag.isPending || (isUnreadable(flag) && !isDeleted)) {
    const all = <ProjectLink to="/projects/$projectId/flags">All flags</ProjectLink>;
    return <PageUnread isPage of={flag} what="the flag" action={all} />;
  }
  return flag.data && <LoadedFlag key={flagId} flag={flag.data} isDeleted={isDeleted} />;
}
