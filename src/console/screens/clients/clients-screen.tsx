import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SyncedEnvironmentView } from '../../../contracts/console/sync-views.ts';
import { syncStreamsQuery } from '../../client/queries.ts';
import { Failure } from '../../parts/callout.tsx';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { Mark } from '../../parts/mark.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { countOf } from '../../parts/words.ts';
import { ProjectLink } from '../../shell/pages.tsx';
import { useProject } from '../../shell/project-context.ts';
import { useSession } from '../../shell/use-session.ts';

/** Of many versions those that most programs have are enough to see who does not follow. */
const versionsShownMax = 5;

function isBehind({ version, versions }: SyncedEnvironmentView): boolean {
  return versions.some((one) => one.version < version);
}

function StateMark(view: SyncedEnvironmentView) {
  if (isBehind(view)) return <Mark tone="warn">Behind</Mark>;
  return view.versions.length === 0 ? <Mark tone="info">Connecting</Mark> : <Mark tone="on">Up to date</Mark>;
}

/** How many programs have which version, the newest first: "3 have 42, 1 has 40". */
function versionWords(view: SyncedEnvironmentView): string {
  const { versions, starting } = view;
  const connecting = starting === 0 ? [] : [`${starting} connecting`];
  if (!isBehind(view)) return [...(versions.length === 0 ? [] : ['the newest']), ...connecting].join(', ');
  const shown = versions.slice(0, versionsShownMax).map(({ version, streams }) => {
    const verb = streams === 1 ? 'has' : 'have';
    return `${streams} ${verb} ${version}`;
  });
  const more = versions.length - shown.length;
  return [...shown, ...(more > 0 ? [countOf(more, 'older version')] : []), ...connecting].join(', ');
}

/** For how long the furthest program has been without the newest version. */
function lagWords(view: SyncedEnvironmentView): string {
  if (!isBehind(view)) return '–';
  return view.lagMs < 1000 ? 'under a second' : countOf(Math.round(view.lagMs / 1000), 'second');
}

function columnsOf(isMultiEnvironment: boolean): readonly Column<SyncedEnvironmentView>[] {
  return [
    {
      header: isMultiEnvironment ? 'Environment' : 'Project',
      cell: ({ environment }) => environment ?? 'all flags',
    },
    { header: 'By', cell: ({ kind }) => (kind === 'flagd' ? 'flagd' : 'burgee-client') },
    { header: 'State', cell: StateMark },
    { header: 'Connected', cell: ({ streams }) => countOf(streams, 'program') },
    { header: 'Newest version', cell: ({ version }) => version },
    { header: 'They have', cell: versionWords },
    { header: 'Behind for', cell: lagWords },
  ];
}

function HowToConnect() {
  const { docsUrl, isCluster } = useSession();
  const { isPersonal } = useProject();
  return (
    <PageEmpty
      title={isCluster ? 'No program follows this project on this node' : 'No program follows this project'}
    >
      Programs with burgee-client or a flagd provider evaluate flags in their own process, and receive changes
      by a stream. The code is on each flag’s page, under “Code”.{' '}
      {isPersonal ? (
        'They need a token, and personal projects have none.'
      ) : (
        <>
          They need a <ProjectLink to="/projects/$projectId/tokens">token</ProjectLink>.
        </>
      )}{' '}
      <a href={`${docsUrl}/clients`}>Choose a client</a>
    </PageEmpty>
  );
}

/** Who is connected by sync. Programs that ask for each answer are in the evaluations of a flag, not here. */
export function ClientsScreen() {
  const { id: projectId, isMultiEnvironment } = useProject();
  const { isCluster } = useSession();
  const streams = useQuery(syncStreamsQuery(projectId));
  const environments = streams.data?.environments ?? [];
  return (
    <>
      <PageHead title="Clients">
        Programs that evaluate this project’s flags themselves, and which version of the flags they have.
        {isCluster && ' Only those that are connected to this node of the cluster are shown.'}
      </PageHead>
      {streams.data === undefined ? (
        <PageUnread of={streams} what="the clients" />
      ) : (
        <Stack gap="md">
          <Failure error={streams.error} />
          {environments.length === 0 ? (
            <HowToConnect />
          ) : (
            <DataList
              label="Clients"
              rows={environments}
              rowKey={({ environment, kind }) => `${environment ?? ''} ${kind}`}
              columns={columnsOf(isMultiEnvironment)}
            />
          )}
        </Stack>
      )}
    </>
  );
}
