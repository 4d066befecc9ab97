import type { Project } from '../project/project.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { AuditAction, AuditEntry } from './audit-entry.ts';

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

/** @returns the sequence of the ledger's newest entry; 0 when it has none. */
export function newestSequence(queries: RecordQueries, ledgerId: string): number {
  for (const { sequence } of queries.auditOf(ledgerId)) return sequence;
  return 0;
}

/** Every change appends an audit entry, so the audit log is what tells of them: at most some 200 entries are read. */
export function projectChanges(queries: RecordQueries, project: Project, since: number): ProjectChanges {
  const ledgerId = project.organisationId ?? project.id;
  const sequence = newestSequence(queries, ledgerId);
  if (since >= sequence) return { sequence, flags: [], project: false, other: false };
  const entries = entriesSince(queries, ledgerId, project.id, since);
  if (entries.length > changesListedMax) return { sequence, flags: [], project: true, other: true };
  const actions = entries.map(({ action }) => areaOf(action));
  const flags = entries.filter(({ action }) => areaOf(action) === 'flag').map(({ targetId }) => targetId);
  return {
    sequence,
    flags: [...new Set(flags)],
    project: actions.includes('project'),
    other: actions.includes('other') || hasLooseEntry(queries, ledgerId, since),
  };
}

function entriesSince(
  queries: RecordQueries,
  ledgerId: string,
  projectId: string,
  since: number,
): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const { sequence, entry } of queries.auditOf(ledgerId, { subjectId: projectId })) {
    if (sequence <= since || entries.length > changesListedMax) break;
    if (entry.projectId === projectId) entries.push(entry);
  }
  return entries;
}

/** Whether something happened beside projects; after many changes of other projects, it may have. */
function hasLooseEntry(queries: RecordQueries, ledgerId: string, since: number): boolean {
  let looked = 0;
  for (const { sequence, entry } of queries.auditOf(ledgerId)) {
    if (sequence <= since) return false;
    if (entry.projectId === null || looked === looseEntriesMax) return true;
    looked += 1;
  }
  return false;
}

function areaOf(action: AuditAction): 'flag' | 'project' | 'other' {
  const [area] = action.split('.', 1);
  if (area === 'flag') return 'flag';
  return area === 'project' || area === 'environment' || area === 'audience' ? 'project' : 'other';
}
