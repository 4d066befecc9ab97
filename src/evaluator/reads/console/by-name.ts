interface Named {
  readonly id: string;
  readonly name: string;
}

/** The items by name (UTF-8 order), then id, as flags are listed. */
export function byName<Item extends Named>(items: readonly Item[]): readonly Item[] {
  const keyed = items.map((item) => ({ item, key: Buffer.from(`${item.name}\0${item.id}`) }));
  return keyed.sort((one, other) => Buffer.compare(one.key, other.key)).map(({ item }) => item);
}
