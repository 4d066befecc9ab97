interface Named {
  readonly name: string;
}

/**
 * Those whose name contains one of the words; all without a word.
 *
 * @throws {Error} if a word occurs in no name
 */
export function chooseByName<Item extends Named>(all: readonly Item[], words: readonly string[]): Item[] {
  const stray = words.find((word) => !all.some(({ name }) => name.includes(word)));
  if (stray !== undefined)
    throw new Error(
      `No picture's name contains "${stray}". They are: ${all.map(({ name }) => name).join(', ')}`,
    );
  return all.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
}
