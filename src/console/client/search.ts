import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from './call.ts';
import { everywhere } from './queries.ts';

export type SearchAnswer = AnswerOf<'search-console'>;
type SearchResult = SearchAnswer['results'][number];
export type FoundFlag = Extract<SearchResult, { readonly kind: 'flag' }>;
export type FoundState = FoundFlag['states'][number];

export const searchLengthMax = 200;
/** Answers are kept only so that deleting a letter shows the former ones at once. */
const keptMs = 30_000;
const searchKey = [everywhere, 'search-console'] as const;

/**
 * Flags, audiences, environments and projects whose name or id has each word of the text; without a text, flags that
 * are on in production. An answer that a later text has overtaken is dropped.
 *
 * @param projectId null for all projects
 */
export function searchQuery(text: string, projectId: string | null = null) {
  const q = text.trim().slice(0, searchLengthMax);
  const query = projectId === null ? { q } : { q, project: projectId };
  return queryOptions({
    queryKey: [...searchKey, {}, query] as const,
    queryFn: ({ signal }): Promise<SearchAnswer> => call('search-console', {}, null, { query, signal }),
    staleTime: 0,
    gcTime: keptMs,
    // Rows would move while somebody points at them.
    refetchOnWindowFocus: false,
  });
}

/** The keys of all searches, to put a flag's new state into what they show. */
export const searches = { queryKey: searchKey };
