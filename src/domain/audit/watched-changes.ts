import type { RecordQueries } from '../record-queries.ts';
import type { AuditAction, AuditHead } from './audit-entry.ts';
import { formatPosition, newestPosition, type Watched, type WatchPosition } from './watch-position.ts';

/** What has changed for a watching person since a position. */
export interface WatchedChanges {
  /** As `formatPosition` writes it: the next check begins here. */
  readonly position: string;
  /** Ids of flags of the project that were created, changed or deleted. */
  readonly flags: readonly string[];
  /** Environments were added or removed, so that every flag has other states; or more flags changed than are listed. */
  readonly everyFlag: boolean;
  /** Audiences of the project changed. Flags have only their ids. */
  readonly audiences: boolean;
  /** The project itself or its environments changed. */
  readonly project: boolean;
  /** Tokens of the project changed. */
  readonly tokens: boolean;
  /** Members, invitations, the organisation, or the shown fields of its other projects changed. */
  readonly organisation: boolean;
}

/** More entries than these are reported as "read everything again". */
export const changesListedMax = 200;
/** The most entries of other projects that are read. */
const looseEntriesMax = 20;

/** Reading a MiB takes some 3 ms: beyond this, the changes are reported as "read everything again" too. */
const bytesReadMax = 4 * 1024 * 1024;

type Areas = Omit<WatchedChanges, 'position'>;

const nothing: Areas = {
  ...{ flags: [], everyFlag: false, audiences: false },
  ...{ project: false, tokens: false, organisation: false },
};
const everything: Areas = {
  ...{ flags: [], everyFlag: true, audiences: true },
  ...{ project: true, tokens: true, organisation: true },
};

/**
 * Finds changes in the audit log, because every change appends an entry: at most some 200 entries are read.
 *
 * @param since null begins now.
 */
export function watchedChanges(
  queries: RecordQueries,
  watched: Watched,
  since: WatchPosition | null,
): WatchedChanges {
  const newest = newestPosition(queries, watched);
  const position = formatPosition(newest);
  return { position, ...(since === null ? nothing : areasSince(queries, watched, since, newest)) };
}

function areasSince(
  queries: RecordQueries,
  { organisationId, project }: Watched,
  since: WatchPosition,
  newest: WatchPosition,
): Areas {
  // The store was restored from a backup, so that sequences are used again; or it lacks entries that the page knows.
  if (since.history !== newest.history) return everything;
  if (since.organisation > newest.organisation && organisationId !== null) return everything;
  const own = project === null ? nothing : changesOf(queries, project, since, newest);
  if (organisationId === null) return own;
  const projectId = project?.id ?? null;
  return { ...own, organisation: hasLooseEntry(queries, organisationId, projectId, since.organisation) };
}

function changesOf(
  queries: RecordQueries,
  { id, organisationId }: { readonly id: string; readonly organisationId: string | null },
  known: WatchPosition,
  present: WatchPosition,
): Areas {
  const ledger = organisationId === null ? 'personal' : 'organisation';
  const [since, newest] = [known[ledger], present[ledger]];
  if (since === newest) return nothing;
  const entries = since > newest ? null : entriesSince(queries, organisationId ?? id, id, since);
  if (entries === null) return { ...everything, organisation: false };
  const areas = entries.map(({ action }) => areaOf(action));
  const hasOtherStates = ({ action }: AuditHead) =>
    action === 'environment.create' || action === 'environment.delete';
  const flags = entries.filter(({ action }) => areaOf(action) === 'flag').map(({ targetId }) => targetId);
  return {
    flags: [...new Set(flags)],
    everyFlag: entries.some(hasOtherStates),
    audiences: areas.includes('audience'),
    project: areas.includes('project') || areas.includes('environment'),
    tokens: areas.includes('token'),
    organisation: false,
  };
}

/** @returns null when there are too many. */
function entriesSince(
  queries: RecordQueries,
  ledgerId: string,
  projectId: string,
  since: number,
): readonly AuditHead[] | null {
  const entries: AuditHead[] = [];
  let bytes = 0;
  for (const { sequence, entry, bytesRead } of queries.auditHeadsOf(ledgerId, { subjectId: projectId })) {
    if (sequence <= since) break;
    bytes += bytesRead;
    if (bytes > bytesReadMax) return null;
    if (entry.projectId === projectId) entries.push(entry);
    if (entries.length > changesListedMax) return null;
  }
  return entries;
}

/** Whether the organisation or its list of projects changed. After many changes the answer may be a false yes. */
function hasLooseEntry(
  queries: RecordQueries,
  organisationId: string,
  projectId: string | null,
  since: number,
): boolean {
  let [looked, bytes] = [0, 0];
  for (const { sequence, entry, bytesRead } of queries.auditHeadsOf(organisationId)) {
    if (sequence <= since) return false;
    bytes += bytesRead;
    if (looked === looseEntriesMax || bytes > bytesReadMax) return true;
    if (isOfOrganisationItself(entry) || (entry.projectId !== projectId && isOfProjectItself(entry)))
      return true;
    looked += 1;
  }
  return false;
}

/** Sign-ins and exports change nothing that a page shows. */
function isOfOrganisationItself({ projectId, action }: AuditHead): boolean {
  return projectId === null && !['session', 'audit'].includes(areaOf(action));
}

/** The fields of each project that the list of projects shows: its name, its environments, its access. */
function isOfProjectItself({ action }: AuditHead): boolean {
  return ['project', 'environment'].includes(areaOf(action));
}

type Area = AuditAction extends `${infer Area}.${string}` ? Area : never;

function areaOf(action: AuditAction): Area {
  return action.slice(0, action.indexOf('.')) as Area;
}
