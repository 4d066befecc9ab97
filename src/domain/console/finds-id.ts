/** Ids are random: a shorter word occurs in many of them by chance, and would find records that the member does not look for. */
const idPartCharsMin = 6;

/**
 * Whether a searched word finds something by its id: people paste an id, or a part of one.
 *
 * @param word in lower case
 */
export function findsId(word: string, id: string): boolean {
  return word.length >= idPartCharsMin && id.toLowerCase().includes(word);
}
