import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AudienceView } from '../../../contracts/console/audience-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { audiencesQuery } from '../../client/queries.ts';
import { Callout } from '../../parts/callout.tsx';
import { countOf } from '../../parts/count-words.ts';
import { type Column, DataList } from '../../parts/data-list.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { PageEmpty, PageError, PageLoading } from '../../parts/page-states.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useCanEdit, useProject } from '../../shell/project-context.ts';
import classes from './audiences.module.css';
import { CreateAudience } from './create-audience.tsx';
import { ruleLine } from './rule-line.ts';
import { useAudiencesAvailable } from './use-audiences-available.ts';

const rulesShownMax = 3;

const columns: readonly Column<AudienceView>[] = [
  {
    header: 'Audience',
    cell: ({ id, name, projectId }) => (
      <Link to="/projects/$projectId/audiences/$audienceId" params={{ projectId, audienceId: id }}>
        {name}
      </Link>
    ),
  },
  {
    header: 'Callers whose',
    cell: ({ rules }) => (
      <>
        {rules.slice(0, rulesShownMax).map((rule, index) => (
          <div key={rule.attribute}>
            {index > 0 && <span className={classes.quiet}>and </span>}
            {ruleLine(rule)}
          </div>
        ))}
        {rules.length > rulesShownMax && (
          <div className={classes.quiet}>and {countOf(rules.length - rulesShownMax, 'more rule')}</div>
        )}
      </>
    ),
  },
  { header: 'Used by', cell: ({ useCount }) => (useCount === 0 ? 'no flag' : countOf(useCount, 'flag')) },
  { header: 'Changed', cell: ({ updatedAt }) => <TimeAgo at={updatedAt} /> },
];

export function AudiencesScreen() {
  const audiences = useQuery(audiencesQuery(useProject().id));
  const canEdit = useCanEdit();
  const isAvailable = useAudiencesAvailable();
  const [isCreating, create] = useDisclosure(false);
  const rows = audiences.data?.audiences ?? [];
  const button = canEdit && isAvailable ? <Button onClick={create.open}>Create audience</Button> : null;
  return (
    <>
      <PageHeader title="Audiences" actions={rows.length > 0 ? button : null}>
        Named groups of callers, told by the attributes they send. Attach one to a flag to limit it to them.
      </PageHeader>
      {!isAvailable && (
        <div className={classes.notice}>
          <Callout tone="warn">
            Audiences need the Teams plan of an organisation. Those that are attached still decide; none can
            be created or attached.
          </Callout>
        </div>
      )}
      {audiences.isPending && <PageLoading what="audiences" />}
      {isUnreadable(audiences) && (
        <PageError error={audiences.error} onRetry={() => void audiences.refetch()} />
      )}
      {audiences.data !== undefined && rows.length === 0 && (
        <PageEmpty title="No audience yet" action={button}>
          For example “Pro”: callers whose plan is pro or team.
        </PageEmpty>
      )}
      {rows.length > 0 && (
        <DataList label="Audiences" rows={rows} rowKey={({ id }) => id} columns={columns} />
      )}
      {isCreating && <CreateAudience onClose={create.close} />}
    </>
  );
}
