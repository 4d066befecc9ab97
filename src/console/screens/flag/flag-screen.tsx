import { Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ConsoleFlagView } from '../../../contracts/console/flag-views.ts';
import { flagTabs } from '../../app/searches.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { flagQuery } from '../../client/queries.ts';
import { partsOfKey } from '../../draft/flag-fields.ts';
import { ReviewBar } from '../../draft/review-bar.tsx';
import { showDone } from '../../parts/notices.tsx';
import { PageLoading, PageUnread } from '../../parts/page-states.tsx';
import { countOf } from '../../parts/words.ts';
import { ProjectLink } from '../../shell/pages.tsx';
import { useProject } from '../../shell/project-context.ts';
import { EnvironmentsTab } from './environments-tab.tsx';
import classes from './flag.module.css';
import { FlagHeader } from './flag-header.tsx';
import type { TrialInputs } from './try-tab.tsx';
import { type FlagEditing, showFlagChange, useAudienceName, useFlagEditing } from './use-flag-editing.ts';

/** Names of the protected environments that a draft changes; the flag-wide list belongs to all of them. */
function useProtectedNames({ handle }: FlagEditing): readonly string[] {
  const { environments } = useProject();
  const touched = new Set(
    handle.changes.map(({ key }) => {
      const { environment, name } = partsOfKey(key);
      return environment ?? (name === 'cohorts' ? 'every' : '');
    }),
  );
  return environments
    .filter(({ number, isProtected }) => isProtected && (touched.has(String(number)) || touched.has('every')))
    .map(({ name }) => name);
}

function FlagReview({ editing }: { readonly editing: FlagEditing }) {
  const project = useProject();
  const audienceName = useAudienceName();
  const names = useProtectedNames(editing);
  const { flag, handle } = editing;
  const { changes } = handle;
  const save = async () => {
    await editing.save();
    showDone(`Saved ${countOf(changes.length, 'change')} of ${flag.name}.`);
  };
  return (
    <ReviewBar
      handle={handle}
      show={showFlagChange(project)}
      audienceName={audienceName}
      onSave={save}
      problem={handle.value('name') === '' ? 'A flag needs a name.' : null}
      warning={
        names.length > 0 && (
          <Text size="sm">
            <strong>{names.join(', ')}</strong> {names.length === 1 ? 'is' : 'are'} protected. Saving changes
            the answers of <strong>{flag.name}</strong> there at once.
          </Text>
        )
      }
    />
  );
}

const AuditEntries = lazy(async () => ({
  default: (await import('../audit/audit-entries.tsx')).AuditEntries,
}));
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
          <AuditEntries projectId={flag.projectId} filter={{ flag: flag.id }} isOfOneThing />
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

function LoadedFlag({ flag }: { readonly flag: ConsoleFlagView }) {
  const editing = useFlagEditing(flag);
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
  // A flag that somebody else has deleted is no longer shown from memory.
  if (flag.isPending || isUnreadable(flag)) {
    const all = <ProjectLink to="/projects/$projectId/flags">All flags</ProjectLink>;
    return <PageUnread isPage of={flag} what="the flag" action={all} />;
  }
  return <LoadedFlag key={flagId} flag={flag.data} />;
}
