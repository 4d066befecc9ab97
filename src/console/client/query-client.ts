import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ConsoleError, isUndecided, notSignedIn, otherMember } from './console-error.ts';

/** Retries only failures that may be temporary. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isPassing = error instanceof ConsoleError && (error.status === 0 || error.status === 503);
  return isPassing && failures < 3;
}

/** The session of this browser has ended, or is another member's. */
export type SessionLoss = typeof notSignedIn | typeof otherMember;

function lossOf(error: Error): SessionLoss | null {
  const title = error instanceof ConsoleError ? error.title : null;
  return title === notSignedIn || title === otherMember ? title : null;
}

/**
 * @param onLost called when an answer says that the session is lost; for readings of the page's own, with the first such
 * answer only
 */
export function createQueryClient(onLost: (loss: SessionLoss) => void): QueryClient {
  let hasReported = false;
  const queryCache = new QueryCache({
    onError: (error, { state }) => {
      const loss = lossOf(error);
      // A member who stays on the page of another one is asked again by changes alone.
      if (loss === null || (hasReported && (state.data !== undefined || loss === otherMember))) return;
      hasReported = true;
      onLost(loss);
    },
    onSuccess: () => {
      hasReported = false;
    },
  });
  const mutationCache = new MutationCache({
    onError: (error) => {
      const loss = lossOf(error);
      if (loss !== null) onLost(loss);
      // Whether the change was saved or not, the page shows what is stored.
      if (isUndecided(error)) void client.invalidateQueries();
    },
  });
  const client = new QueryClient({
    queryCache,
    mutationCache,
    defaultOptions: {
      // Without a connection a reading fails, and a change fails at once: it must not wait and be made some time later.
      queries: {
        retry: isWorthRetrying,
        staleTime: 5_000,
        networkMode: 'always',
        refetchOnReconnect: true,
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}
