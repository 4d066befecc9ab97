import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { positionBesideProject } from '../../domain/audit/watch-position.ts';
import { notConnected } from '../client/change-stream.ts';
import { followChanges } from '../client/follow-changes.ts';
import { projectsQuery } from '../client/queries.ts';
import { useCurrentProject } from './project-context.ts';
import classes from './shell.module.css';
import { useSession } from './use-session.ts';

/** The page shows that it has no stream after this time, or at once if the browser says that it is offline. */
const graceMs = 3_000;

interface CutOff {
  readonly isCutOff: boolean;
  readonly reason: string;
}

/**
 * Keeps the open page up to date with changes by other people.
 *
 * @returns whether the page has got no changes for some seconds, and the service's reason, if it refused them
 */
function useLiveChanges(): CutOff {
  const client = useQueryClient();
  const { position } = useSession();
  const reached = useRef(position);
  const projectId = useCurrentProject()?.id ?? null;
  const isKnown = useQuery(projectsQuery).data !== undefined;
  const [state, setState] = useState(notConnected);
  useEffect(() => {
    if (!isKnown) return undefined;
    const since = positionBesideProject(reached.current);
    const onPosition = (position: string) => {
      reached.current = position;
    };
    return followChanges(client, { projectId, since, onPosition, onState: setState });
  }, [client, projectId, isKnown]);
  const isLasting = useIsLasting(state.isCutOff, graceMs);
  return { isCutOff: isLasting || (state.isCutOff && !navigator.onLine), reason: state.reason };
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

/** A line above every page while changes by others do not arrive; otherwise nothing. It is over the page's margin, so that nothing moves. */
export function LiveState() {
  const { isCutOff, reason } = useLiveChanges();
  return (
    <div className={classes.live} role="status" aria-label="Live updates">
      {isCutOff && (
        <>
          {reason === '' ? 'Not connected' : `Not connected: ${reason.replace(/\.$/, '')}`} – this page shows
          what it read last
          <span className={classes.liveMore}> and updates itself when Burgee answers</span>
        </>
      )}
    </div>
  );
}
