import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ConsoleError, isUndecided, notSignedIn } from './console-error.ts';

/** Retries only failures that may be temporary. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isPassing = error instanceof ConsoleError && (error.status === 0 || error.status === 503);
  return isPassing && failures < 3;
}

function isEndOfSession(error: Error): boolean {
  return error instanceof ConsoleError && error.title === notSignedIn;
}

/**
 * @param onSignedOut called when an answer says that the session has ended; for readings of the page's own, with the
 * first such answer only
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  let hasReported = false;
  const queryCache = new QueryCache({
    onError: (error, { state }) => {
      if (!isEndOfSession(error) || (hasReported && state.data !== undefined)) return;
      hasReported = true;
      onSignedOut();
    },
    onSuccess: () => {
      hasReported = false;
    },
  });
  const mutationCache = new MutationCache({
    onError: (error) => {
      if (isEndOfSession(error)) onSignedOut();
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
