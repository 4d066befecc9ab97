import type { FlagsSearch } from './searches.ts';

/** Of more projects the one that was looked at least recently is forgotten. */
const projectsMax = 50;

/** The last search of each project's list of flags in this window, so that the way back leads to what was filtered. */
const lastSearches = new Map<string, FlagsSearch>();

export function rememberFlagsSearch(projectId: string, search: FlagsSearch): void {
  const { create: _, ...filters } = search;
  lastSearches.delete(projectId);
  lastSearches.set(projectId, filters);
  const [oldest] = lastSearches.keys();
  if (lastSearches.size > projectsMax && oldest !== undefined) lastSearches.delete(oldest);
}

export function lastFlagsSearch(projectId: string): FlagsSearch {
  return lastSearches.get(projectId) ?? {};
}
