import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../client/call.ts';
import { Callout } from '../parts/callout.tsx';
import { ChangeList } from '../parts/change-list.tsx';
import type { ShownChange } from '../parts/change-words.ts';
import { PageHead } from '../parts/page-head.tsx';
import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { visibleName } from '../parts/visible-name.ts';
import { ProjectLink } from '../shell/pages.tsx';
import { useProject } from '../shell/project-context.ts';

interface GoneProps {
  readonly kind: 'flag' | 'audience';
  readonly id: string;
  readonly name: string;
  /** The draft, which stays readable. */
  readonly changes: readonly ShownChange[];
  readonly audienceName?: (id: string) => string;
  /** A link to the list of its kind. */
  readonly above: ReactNode;
}

/** A record that was deleted while its page was open: says by whom, and shows what was not saved. */
export function Gone({ kind, id, name, changes, audienceName, above }: GoneProps) {
  const { id: projectId } = useProject();
  const action = `${kind}.delete`;
  const { data } = useQuery({
    queryKey: [projectId, 'who-deleted', id],
    queryFn: ({ signal }) => call('list-project-audit', { projectId }, null, { query: { action }, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const entry = data?.entries.find(({ targetId }) => targetId === id);
  const actor = entry?.actor.kind === 'operator' ? 'The operator' : visibleName(entry?.actor.name ?? '');
  return (
    <>
      <PageHead title={visibleName(name)} above={above} />
      <Stack gap="md">
        <Callout tone="warn">
          {entry === undefined ? (
            `This ${kind} was deleted.`
          ) : (
            <>
              {actor} deleted this {kind} <TimeAgo isInline at={entry.at} />.
            </>
          )}{' '}
          <ProjectLink to="/projects/$projectId/audit">Audit log</ProjectLink>
        </Callout>
        {changes.length > 0 && (
          <Panel title="Your changes, which were not saved">
            <ChangeList changes={changes} audienceName={audienceName} />
          </Panel>
        )}
      </Stack>
    </>
  );
}
