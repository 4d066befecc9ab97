import type { Query, QueryCache } from '@tanstack/react-query';

/** Resolves when every answer that was asked for has come, of a long list its first page. */
export function noneAwaited(cache: QueryCache): Promise<void> {
  const isAwaited = ({ state }: Query) => state.data === undefined && state.fetchStatus === 'fetching';
  return new Promise((resolve) => {
    const look = () => {
      if (cache.getAll().some(isAwaited)) return;
      end();
      resolve();
    };
    const end = cache.subscribe(look);
    look();
  });
}
