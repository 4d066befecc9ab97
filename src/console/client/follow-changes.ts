import type { QueryClient } from '@tanstack/react-query';
import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import { addressOf } from './address-of.ts';
import { ChangedReadings } from './changed-readings.ts';
import { projectsQuery } from './queries.ts';

/** A stream that broke or was refused is opened again after a pause that doubles, and differs from page to page. */
const reopenMsMin = 1_000;
const reopenMsMax = 30_000;

export interface FollowOptions {
  /** Null on a page without a project: then only the organisation is followed. */
  readonly projectId: string | null;
  /** What is shown was read after this. */
  readonly since: string;
  /** Told with each event, for the stream after this one. */
  readonly onPosition: (position: string) => void;
  readonly onLive: (isLive: boolean) => void;
}

/**
 * Keeps what is shown up to date with what others do.
 *
 * @returns what ends it
 */
export function followChanges(client: QueryClient, options: FollowOptions): () => void {
  const { projectId, onPosition, onLive } = options;
  const readings = new ChangedReadings(client, projectId);
  let { since } = options;
  let source: EventSource;
  let opening: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  const take = ({ data }: MessageEvent<string>) => {
    const changed = JSON.parse(data) as WatchedChanges;
    if (changed.position === since) return;
    since = changed.position;
    onPosition(since);
    readings.add(changed);
  };
  const open = () => {
    source = new EventSource(addressOfStream(projectId, since));
    source.addEventListener('changed', take);
    source.addEventListener('ready', (event: MessageEvent<string>) => {
      failures = 0;
      onLive(true);
      take(event);
    });
    source.addEventListener('error', () => {
      // Not by the browser: it would ask from the position of the beginning.
      source.close();
      onLive(false);
      // Whoever was signed out meanwhile is told so by what else is asked.
      if (failures > 0) void client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      opening = setTimeout(open, pauseMs(failures));
      failures += 1;
    });
  };
  open();
  return () => {
    source.close();
    clearTimeout(opening);
    readings.end();
    // Nobody tells any more what changes there: it is read again before it is relied on.
    if (projectId !== null) void client.invalidateQueries({ queryKey: [projectId], refetchType: 'none' });
  };
}

function addressOfStream(projectId: string | null, since: string): string {
  if (projectId === null) return addressOf('watch-organisation', {}, { since });
  return addressOf('watch-project', { projectId }, { since });
}

function pauseMs(failures: number): number {
  const ms = Math.min(reopenMsMax, reopenMsMin * 2 ** failures);
  return ms * (0.5 + Math.random() / 2);
}
