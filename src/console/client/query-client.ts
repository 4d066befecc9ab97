import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ConsoleError } from './console-error.ts';
import { sessionQuery } from './queries.ts';

/** Only what may pass by itself is asked for again. */
function isWorthRetrying(failures: number, error: Error): boolean {
  const isPassing = error instanceof ConsoleError && (error.status === 0 || error.status === 503);
  return isPassing && failures < 3;
}

/** @param onSignedOut runs when an answer says that the session has ended. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error) => {
    if (!(error instanceof ConsoleError) || error.title !== 'Not signed in') return;
    client.removeQueries({ queryKey: sessionQuery.queryKey });
    onSignedOut();
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { retry: isWorthRetrying, staleTime: 5_000 },
      mutations: { retry: false },
    },
  });
  return client;
}
