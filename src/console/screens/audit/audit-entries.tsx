import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AuditEntryView } from '../../../contracts/console/audit-views.ts';
import { isUnreadable } from '../../client/console-error.ts';
import { Avatar } from '../../parts/avatar.tsx';
import { Failure } from '../../parts/callout.tsx';
import { ChangeList } from '../../parts/change-list.tsx';
import type { ShownChange } from '../../parts/change-words.ts';
import { formatInstant, formatTime, formatWeekday } from '../../parts/format-time.ts';
import { PageEmpty, PageUnread } from '../../parts/page-states.tsx';
import { SafeName } from '../../parts/safe-name.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { actionWord, isOfOneself } from './action-words.ts';
import classes from './audit.module.css';
import { type AuditQuery, useAuditPages } from './audit-pages.ts';

/** A longer diff is folded to this length, and one of a new record, which the line names, to nothing. */
const changesShownMax = 3;

interface AuditEntriesProps {
  /** Null for those of the whole organisation. */
  readonly projectId: string | null;
  readonly filter: AuditQuery;
  /** The page is about one record: its entries do not name it. */
  readonly isOfOneThing?: boolean;
  /** A button for an entry. @param newer the entries after it, newest first */
  readonly actionOf?: (entry: AuditEntryView, newer: readonly AuditEntryView[]) => ReactNode;
}

/** An environment's own entry is recorded for its project. */
function isOfEnvironment({ action, environment }: AuditEntryView): boolean {
  return action.startsWith('environment.') && environment !== null;
}

function Target({ entry }: { readonly entry: AuditEntryView }) {
  const { action, projectId, targetId, targetName, environment } = entry;
  const isLinked = projectId !== null && action.startsWith('flag.') && action !== 'flag.delete';
  const name = <SafeName name={(isOfEnvironment(entry) ? environment : null) ?? targetName} />;
  if (!isLinked) return <strong>{name}</strong>;
  return (
    <Link to="/projects/$projectId/flags/$flagId" params={{ projectId, flagId: targetId }}>
      {name}
    </Link>
  );
}

function Actor({ actor }: Pick<AuditEntryView, 'actor'>) {
  if (actor.kind === 'operator') return <strong>The operator</strong>;
  if (actor.kind === 'anonymous') return <strong>Anonymous</strong>;
  return (
    <>
      <strong>
        <SafeName name={actor.name} />
      </strong>
      {actor.kind === 'token' && <span className={classes.quiet}> (token)</span>}
    </>
  );
}

/** A token's empty list means every environment (specification, token description). */
function shownChange(entry: AuditEntryView, change: AuditEntryView['changes'][number]): ShownChange {
  const { field, after } = change;
  const isUnlimited = entry.action.startsWith('token.') && field === 'environments' && isEmptyList(after);
  const environment = isOfEnvironment(entry) ? null : entry.environment;
  return { environment, ...change, ...(isUnlimited ? { after: 'all' } : {}) };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

interface EntryProps extends Pick<AuditEntriesProps, 'isOfOneThing'> {
  readonly entry: AuditEntryView;
  readonly audienceName: (id: string) => string;
  readonly isOfOrganisation: boolean;
  /** A button at the end of the line. */
  readonly action: ReactNode;
}

/** A line, whose time is a button: it shows the exact time and the request's id. */
function Entry({ entry, isOfOneThing, isOfOrganisation, audienceName, action }: EntryProps) {
  const [isOpen, setOpen] = useState(false);
  const { actor, at, requestId, address } = entry;
  const isOwn = isOfOneself(entry);
  const words = actionWord(entry.action, isOwn);
  const changes = entry.changes.map((change) => shownChange(entry, change));
  return (
    <li className={classes.entry}>
      <button
        type="button"
        className={classes.time}
        aria-expanded={isOpen}
        title={formatInstant(at)}
        onClick={() => setOpen(!isOpen)}
      >
        {formatTime(at)}
      </button>
      <Avatar isRound={actor.kind === 'member'} name={actor.name} of={actor.id} />
      <span className={classes.words}>
        <Actor actor={actor} /> {isOfOneThing ? words.replace(/ flag$/, ' the flag') : words}{' '}
        {!isOfOneThing && !isOwn && <Target entry={entry} />}
        {entry.action.startsWith('session.') && address !== null && (
          <span className={classes.quiet}> from {address}</span>
        )}
        {isOfOrganisation && entry.projectName !== null && (
          <span className={classes.quiet}>
            {' '}
            in <SafeName name={entry.projectName} />
          </span>
        )}
      </span>
      <div className={classes.changes}>
        {changes.length > 0 && (
          <ChangeList
            isCompact
            changes={changes}
            audienceName={audienceName}
            foldedTo={entry.action.endsWith('.create') && changes.length > 1 ? 0 : changesShownMax}
          />
        )}
        {isOpen && (
          <p className={classes.exact}>
            <TimeAgo isInline at={at} />
            {address !== null && <span> · From {address}</span>}
            {requestId !== null && <span> · Request {requestId}</span>}
          </p>
        )}
      </div>
      {action}
    </li>
  );
}

interface Day {
  readonly title: string;
  readonly entries: AuditEntryView[];
}

/** The entries by day, in the reader's time zone. */
function daysOf(entries: readonly AuditEntryView[]): readonly Day[] {
  const days: Day[] = [];
  for (const entry of entries) {
    const title = formatWeekday(entry.at);
    const last = days.at(-1);
    if (last?.title === title) last.entries.push(entry);
    else days.push({ title, entries: [entry] });
  }
  return days;
}

/** Entries of the audit log as diffs, newest first, by day, a page at a time. */
export function AuditEntries({ projectId, filter, isOfOneThing, actionOf }: AuditEntriesProps) {
  const pages = useAuditPages(projectId, filter);
  if (pages.isPending || isUnreadable(pages)) return <PageUnread of={pages} what="the audit log" />;
  const entries = pages.data.pages.flatMap((page) => page.entries);
  const names = new Map(pages.data.pages.flatMap((page) => Object.entries(page.audienceNames)));
  const audienceName = (id: string) => names.get(id) ?? id;
  if (entries.length === 0 && !pages.hasNextPage) {
    return (
      <PageEmpty title="Nothing recorded here">
        {Object.keys(filter).length > 0 && !isOfOneThing && 'No entry matches the filters above.'}
      </PageEmpty>
    );
  }
  return (
    <>
      {daysOf(entries).map((day) => (
        <section key={day.title} aria-label={day.title}>
          <h2 className={classes.day}>{day.title}</h2>
          <ol className={classes.entries}>
            {day.entries.map((entry) => (
              <Entry
                key={entry.id}
                isOfOrganisation={projectId === null}
                {...{ entry, isOfOneThing, audienceName }}
                action={actionOf?.(entry, entries.slice(0, entries.indexOf(entry)))}
              />
            ))}
          </ol>
        </section>
      ))}
      {!pages.hasNextPage && pages.data.pages.some((page) => page.droppedThrough > 0) && (
        <p className={classes.quiet}>Older entries have been deleted.</p>
      )}
      {pages.hasNextPage && (
        <div className={classes.more}>
          {pages.isFetchNextPageError && <Failure error={pages.error} />}
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
