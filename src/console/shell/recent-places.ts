import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { audienceQuery, flagQuery } from '../client/queries.ts';
import { useCurrentProject } from './project-context.ts';
import { useSession } from './use-session.ts';

/** A flag or an audience that a member has opened in this browser. */
export interface RecentPlace {
  readonly kind: 'flag' | 'audience';
  readonly projectId: string;
  readonly id: string;
  /** Its name when it was opened. */
  readonly name: string;
}

const placesMax = 6;
const textLengthMax = 500;

function keyOf(memberId: string): string {
  return `burgee.recent.${memberId}`;
}

function isPlace(value: unknown): value is RecentPlace {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, projectId, id, name } = value as Readonly<Record<string, unknown>>;
  const texts = [projectId, id, name];
  const isText = (text: unknown) => typeof text === 'string' && text !== '' && text.length <= textLengthMax;
  return (kind === 'flag' || kind === 'audience') && texts.every(isText);
}

/** Newest first; none where the browser stores nothing. */
export function recentPlaces(memberId: string): readonly RecentPlace[] {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(keyOf(memberId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isPlace).slice(0, placesMax) : [];
  } catch {
    return [];
  }
}

function remember(memberId: string, place: RecentPlace): void {
  const others = recentPlaces(memberId).filter(({ id }) => id !== place.id);
  try {
    window.localStorage.setItem(keyOf(memberId), JSON.stringify([place, ...others].slice(0, placesMax)));
  } catch {
    // Storage is full or forbidden.
  }
}

/** Remembers the flag or audience of the page, once its name is known. */
export function useRecentPlace(): void {
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
