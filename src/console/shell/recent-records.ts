import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { audienceQuery, flagQuery } from '../client/queries.ts';
import { useCurrentProject } from './project-context.ts';
import { useSession } from './use-session.ts';

/** A flag or an audience that a member has opened in this browser. */
export interface RecentRecord {
  readonly kind: 'flag' | 'audience';
  readonly projectId: string;
  readonly id: string;
  /** Its name when it was opened. */
  readonly name: string;
}

const recordsMax = 6;
const textLengthMax = 500;

function keyOf(memberId: string): string {
  return `burgee.recent.${memberId}`;
}

function isRecord(value: unknown): value is RecentRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, projectId, id, name } = value as Readonly<Record<string, unknown>>;
  const texts = [projectId, id, name];
  const isText = (text: unknown) => typeof text === 'string' && text !== '' && text.length <= textLengthMax;
  return (kind === 'flag' || kind === 'audience') && texts.every(isText);
}

/** Newest first; none where the browser stores nothing. */
export function recentRecords(memberId: string): readonly RecentRecord[] {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(keyOf(memberId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isRecord).slice(0, recordsMax) : [];
  } catch {
    return [];
  }
}

function remember(memberId: string, record: RecentRecord): void {
  const others = recentRecords(memberId).filter(({ id }) => id !== record.id);
  try {
    window.localStorage.setItem(keyOf(memberId), JSON.stringify([record, ...others].slice(0, recordsMax)));
  } catch {
    // Storage is full or forbidden.
  }
}

/** Remembers the flag or audience of the page, once its name is known. */
export function useRecentRecord(): void {
  const { member } = useSession();
  const projectId = useCurrentProject()?.id ?? '';
  const { flagId = '', audienceId = '' } = useParams({ strict: false });
  // Only what the page itself has read.
  const flag = useQuery({ ...flagQuery(projectId, flagId), enabled: false }).data;
  const audience = useQuery({ ...audienceQuery(projectId, audienceId), enabled: false }).data;
  const [kind, found] = flag === undefined ? (['audience', audience] as const) : (['flag', flag] as const);
  const { id, name } = found ?? {};
  useEffect(() => {
    if (id === undefined || name === undefined) return;
    remember(member.id, { kind, projectId, id, name });
  }, [member.id, kind, projectId, id, name]);
}
