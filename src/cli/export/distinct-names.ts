import { type ProblemList, shown } from '../../domain/problem-list.ts';

/**
 * The items whose name is theirs alone, sorted by it. A file tells things apart by their names, so those that share one
 * are left out, and each such name is a problem.
 *
 * @param what they are, in the plural, and where: it begins the sentence.
 */
export function distinctByName<Item>(
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
  what: string,
  problems: ProblemList,
): Item[] {
  const sorted = Array.from(items, (item) => ({ name: nameOf(item), item }));
  sorted.sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
  return Array.from(
    distinctOfSorted(sorted, ({ name }) => name, what, problems),
    ({ item }) => item,
  );
}

/** The same for items that come in the order of their names, one at a time. */
export function* distinctOfSorted<Item>(
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
  what: string,
  problems: ProblemList,
): Generator<Item> {
  let held: Item | null = null;
  let count = 0;
  for (const item of items) {
    if (held !== null && nameOf(held) === nameOf(item)) {
      count += 1;
      continue;
    }
    if (held !== null) yield* sole(held, count, nameOf, what, problems);
    held = item;
    count = 1;
  }
  if (held !== null) yield* sole(held, count, nameOf, what, problems);
}

function* sole<Item>(
  item: Item,
  count: number,
  nameOf: (item: Item) => string,
  what: string,
  problems: ProblemList,
): Generator<Item> {
  if (count === 1) yield item;
  else problems.add(() => `${what}: ${count} of them are called "${shown(nameOf(item))}"`);
}
