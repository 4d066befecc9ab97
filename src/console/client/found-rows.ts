import type { FlagPage } from '../../contracts/console/flag-views.ts';
import type { FoundFlagView, SearchAnswer, SearchResult } from '../../contracts/console/search-views.ts';

/** A result of a search that is shown. */
export type FoundRow = SearchResult & {
  /** Whether it was a flag that is on in production when the search was first answered. It decides its place. */
  readonly wasOn: boolean;
};

/** What a search has found, in the order in which it is shown. */
export interface Found {
  readonly results: readonly FoundRow[];
  /** Whether these are all there are; false when a bound was met. */
  readonly isComplete: boolean;
}

/** Names a result among all: `flag/ID`. */
export function resultId(result: SearchResult): string {
  const { kind } = result;
  return kind === 'environment' ? `${kind}/${result.projectId}/${result.number}` : `${kind}/${result.id}`;
}

/** The rows of a search that is answered for the first time. */
export function firstFound({ results, isComplete }: SearchAnswer): Found {
  const rows = results.map((result) => ({
    ...result,
    wasOn: result.kind === 'flag' && result.states.some(({ enabled }) => enabled),
  }));
  return { results: rows, isComplete };
}

/** @returns ids of flags that are shown and not found any more, by their projects' ids */
export function lostFlags(shown: Found, { results }: SearchAnswer): ReadonlyMap<string, readonly string[]> {
  const present = new Set(results.map(resultId));
  const lost = new Map<string, string[]>();
  for (const row of shown.results) {
    if (row.kind !== 'flag' || present.has(resultId(row))) continue;
    lost.set(row.projectId, [...(lost.get(row.projectId) ?? []), row.id]);
  }
  return lost;
}

/**
 * The rows of a search that is answered again while somebody looks at them: none moves, and new ones come last. A flag
 * that is not found any more, because it was switched off, stays with its present state.
 *
 * @param lost pages with the `lostFlags`; what is in none of them is gone
 */
export function foundAgain(shown: Found, answer: SearchAnswer, lost: readonly FlagPage[]): Found {
  const present = new Map(answer.results.map((result) => [resultId(result), result]));
  const kept = new Set(lost.flatMap(({ flags }) => flags.map(({ id }) => `flag/${id}`)));
  const rows: FoundRow[] = [];
  for (const row of lost.reduce(withStoredFlags, shown).results) {
    const now = present.get(resultId(row));
    if (now !== undefined) rows.push(isNewer(row, now) ? row : { ...now, wasOn: row.wasOn });
    else if (kept.has(resultId(row))) rows.push(row);
  }
  const known = new Set(shown.results.map(resultId));
  const added = answer.results.filter((result) => !known.has(resultId(result)));
  return {
    results: [...rows, ...added.map((result) => ({ ...result, wasOn: false }))],
    isComplete: answer.isComplete,
  };
}

/** The own switch may be answered while a search is under way, which has the state before it. */
function isNewer(row: SearchResult, other: SearchResult): boolean {
  return row.kind === 'flag' && other.kind === 'flag' && row.revision > other.revision;
}

/** The rows with what is now stored of these flags. */
export function withStoredFlags(found: Found, { flags, environments, kinds }: FlagPage): Found {
  const stored = new Map(flags.map((flag) => [flag.id, flag]));
  const results = found.results.map((row): FoundRow => {
    const flag = row.kind === 'flag' ? stored.get(row.id) : undefined;
    if (row.kind !== 'flag' || flag === undefined || flag.revision < row.revision) return row;
    const states = row.states.map((state): FoundFlagView['states'][number] => {
      const place = environments.indexOf(state.environment);
      return { ...state, ...kinds[flag.states[place] ?? -1] };
    });
    const { name, revision, cohortCount } = flag;
    return { ...row, name, revision, cohortCount, states };
  });
  return { ...found, results };
}
