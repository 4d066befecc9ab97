import type { Project } from '../project/project.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { AuditAction, AuditHead } from './audit-entry.ts';

/** What has changed of a project since somebody looked. */
export interface ProjectChanges {
  /** Of the newest entry of the project's ledger: the next look begins here. */
  readonly sequence: number;
  /** Ids of flags that were created, changed or deleted. */
  readonly flags: readonly string[];
  /** The project itself, its environments or audiences; or more than is listed here. */
  readonly project: boolean;
  /** Tokens, members or the organisation. */
  readonly other: boolean;
}

/** More entries than these are told as «look at all of it». */
export const changesListedMax = 200;
/** Entries that are no project's are looked for among so many. */
const looseEntriesMax = 20;

/** Reading a MiB takes some 3 ms: after so much, what has changed is told as «look at all of it» too. */
const bytesReadMax = 4 * 1024 * 1024;

/** Every change appends an audit entry, so the audit log is what tells of them: at most some 200 entries are read. */
export function projectChanges(queries: RecordQueries, project: Project, since: number): ProjectChanges {
  const ledgerId = project.organisationId ?? project.id;
  const sequence = queries.newestAuditSequence(ledgerId);
  if (since >= sequence) return { sequence, flags: [], project: false, other: false };
  const entries = entriesSince(queries, ledgerId, project.id, since);
  if (entries === null) return { sequence, flags: [], project: true, other: true };
  const actions = entries.map(({ action }) => areaOf(action));
  const flags = entries.filter(({ action }) => areaOf(action) === 'flag').map(({ targetId }) => targetId);
  return {
    sequence,
    flags: [...new Set(flags)],
    project: actions.includes('project'),
    other: actions.includes('other') || hasLooseEntry(queries, ledgerId, since),
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

/** Whether something happened beside projects; after many changes of other projects, it may have. */
function hasLooseEntry(queries: RecordQueries, ledgerId: string, since: number): boolean {
  let [looked, bytes] = [0, 0];
  for (const { sequence, entry, bytesRead } of queries.auditHeadsOf(ledgerId)) {
    if (sequence <= since) return false;
    bytes += bytesRead;
    if (entry.projectId === null || looked === looseEntriesMax || bytes > bytesReadMax) return true;
    looked += 1;
  }
  return false;
}

function areaOf(action: AuditAction): 'flag' | 'project' | 'other' {
  const [area] = action.split('.', 1);
  if (area === 'flag') return 'flag';
  return area === 'project' || area === 'environment' || area === 'audience' ? 'project' : 'other';
}
