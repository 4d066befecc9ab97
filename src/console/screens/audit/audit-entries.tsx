import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { AuditEntryView } from '../../../contracts/console/console-views.ts';
import { ChangeList } from '../../parts/change-list.tsx';
import type { ShownChange } from '../../parts/change-words.ts';
import { PageEmpty, PageError, PageLoading } from '../../parts/page-states.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { useProject } from '../../shell/project-context.ts';
import { actionWord } from './action-words.ts';
import classes from './audit.module.css';
import { type AuditFilter, useAuditPages } from './audit-pages.ts';

/** A new flag with a state in each environment would fill the screen by itself. */
const changesShownMax = 6;

interface AuditEntriesProps {
  readonly filter: AuditFilter;
  /** The page says what was changed already. */
  readonly isOfOneThing?: boolean;
  readonly isOfOrganisation?: boolean;
  readonly audienceName: (id: string) => string;
}

function Target({ entry }: { readonly entry: AuditEntryView }) {
  const { action, projectId, targetId, targetName } = entry;
  const isLinked = projectId !== null && action.startsWith('flag.') && action !== 'flag.delete';
  if (!isLinked) return <strong>{targetName}</strong>;
  return (
    <Link to="/projects/$projectId/flags/$flagId" params={{ projectId, flagId: targetId }}>
      {targetName}
    </Link>
  );
}

function Actor({ actor }: Pick<AuditEntryView, 'actor'>) {
  if (actor.kind === 'operator') return <strong>The operator</strong>;
  return (
    <>
      <strong>{actor.name}</strong>
      {actor.kind === 'token' && <span className={classes.quiet}> (token)</span>}
    </>
  );
}

interface EntryProps extends Pick<AuditEntriesProps, 'isOfOneThing' | 'isOfOrganisation' | 'audienceName'> {
  readonly entry: AuditEntryView;
}

function Entry({ entry, isOfOneThing, isOfOrganisation, audienceName }: EntryProps) {
  const changes = entry.changes.map((change): ShownChange => ({ environment: entry.environment, ...change }));
  return (
    <li className={classes.entry}>
      <div className={classes.line}>
        <span>
          <Actor actor={entry.actor} /> {actionWord(entry.action)} {!isOfOneThing && <Target entry={entry} />}
          {isOfOrganisation && entry.projectName !== null && (
            <span className={classes.quiet}> in {entry.projectName}</span>
          )}
        </span>
        <span className={classes.quiet}>
          <TimeAgo at={entry.at} />
          {entry.requestId !== null && <span className={classes.request}>Request {entry.requestId}</span>}
        </span>
      </div>
      {changes.length > 0 && (
        <ChangeList changes={changes} audienceName={audienceName} foldsAbove={changesShownMax} />
      )}
    </li>
  );
}

/** Entries of the audit log as diffs, newest first, a page at a time. */
export function AuditEntries({ filter, isOfOneThing, isOfOrganisation, audienceName }: AuditEntriesProps) {
  const project = useProject();
  const pages = useAuditPages(isOfOrganisation ? null : project.id, filter);
  if (pages.isPending) return <PageLoading what="the audit log" />;
  if (pages.isError) return <PageError error={pages.error} onRetry={() => void pages.refetch()} />;
  const entries = pages.data.pages.flatMap((page) => page.entries);
  if (entries.length === 0 && !pages.hasNextPage) return <PageEmpty title="Nothing recorded here" />;
  return (
    <>
      <ol className={classes.entries}>
        {entries.map((entry) => (
          <Entry key={entry.id} {...{ entry, isOfOneThing, isOfOrganisation, audienceName }} />
        ))}
      </ol>
      {pages.hasNextPage && (
        <div className={classes.more}>
          <Button
            variant="default"
            loading={pages.isFetchingNextPage}
            onClick={() => void pages.fetchNextPage()}
          >
            Show older
          </Button>
        </div>
      )}
    </>
  );
}
