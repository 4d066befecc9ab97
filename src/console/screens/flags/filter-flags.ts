import type { FlagsSearch } from '../../app/searches.ts';
import type { FlagWithStates } from '../../client/flag-list.ts';
import { searchedWords } from '../../parts/words.ts';

/** A row with its searched text in lower case, which is made once for each list that arrives. */
export interface SearchableFlag {
  readonly row: FlagWithStates;
  readonly words: string;
}

export function searchable(row: FlagWithStates): SearchableFlag {
  const words = `${row.name}\n${row.id}\n${row.description}\n${row.tags.join('\n')}`.toLowerCase();
  return { row, words };
}

function hasState({ states }: FlagWithStates, isOn: boolean, environment: string | undefined): boolean {
  const looked = environment === undefined ? Object.values(states) : [states[environment]];
  return looked.some((state) => state?.enabled === isOn);
}

/**
 * The rows that pass every filter. Each word of the search must occur in name, id, description or tags; a state is that
 * of the chosen environment, or of any.
 */
export function filterFlags(flags: readonly SearchableFlag[], search: FlagsSearch): FlagWithStates[] {
  const words = searchedWords(search.q ?? '');
  const { tag, state, environment } = search;
  return flags
    .filter(
      ({ row, words: own }) =>
        words.every((word) => own.includes(word)) &&
        (tag === undefined || row.tags.includes(tag)) &&
        (state === undefined || hasState(row, state === 'on', environment)),
    )
    .map(({ row }) => row);
}

/** Every tag in use, each once, in alphabetical order. */
export function tagsOf(flags: readonly FlagWithStates[]): string[] {
  return Array.from(new Set(flags.flatMap(({ tags }) => tags))).sort();
}
