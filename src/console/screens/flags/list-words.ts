import { countOf, numberWords } from '../../parts/words.ts';

/** How many flags are shown, of how many, and whether there are more that are not read yet. */
export function listWords(shown: number, total: number, isKnown: boolean): string {
  const count =
    shown === total ? countOf(total, 'flag') : `${numberWords(shown)} of ${countOf(total, 'flag')}`;
  return isKnown ? count : `${count} read so far …`;
}
