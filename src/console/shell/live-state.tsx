import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { positionBesideProject } from '../../domain/audit/watch-position.ts';
import { followChanges } from '../client/follow-changes.ts';
import { projectsQuery } from '../client/queries.ts';
import { useCurrentProject } from './project-context.ts';
import classes from './shell.module.css';
import { useSession } from './use-session.ts';

/** The page shows that it has no stream after this time. */
const graceMs = 3_000;

/**
 * Keeps the open page up to date with changes by other people.
 *
 * @returns whether the page has had no stream for some seconds.
 */
function useLiveChanges(): boolean {
  const client = useQueryClient();
  const { position } = useSession();
  const reached = useRef(position);
  const projectId = useCurrentProject()?.id ?? null;
  const isKnown = useQuery(projectsQuery).data !== undefined;
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    if (!isKnown) return undefined;
    setLive(false);
    const since = positionBesideProject(reached.current);
    const onPosition = (position: string) => {
      reached.current = position;
    };
    return followChanges(client, { projectId, since, onPosition, onLive: setLive });
  }, [client, projectId, isKnown]);
  return useIsLasting(!isLive, graceMs);
}

function useIsLasting(isSo: boolean, ms: number): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    setLasting(false);
    if (!isSo) return undefined;
    const timer = setTimeout(() => setLasting(true), ms);
    return () => clearTimeout(timer);
  }, [isSo, ms]);
  return isLasting;
}

/** A line on top of every page while it has no stream of changes; otherwise nothing. */
export function LiveState() {
  const isCutOff = useLiveChanges();
  return (
    <div className={classes.live} role="status" aria-label="Live updates">
      {isCutOff &&
        'Live updates are interrupted: reload the page to see changes by others. Trying to connect …'}
    </div>
  );
}
