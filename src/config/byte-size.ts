const unitBytes: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['B', 1],
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
]);

/** @returns the bytes that `64GiB`, `256 MiB` or `1048576` mean, or null when it is none of these. */
export function parseByteSize(text: string): number | null {
  const parts = /^(\d+)\s*([A-Za-z]*)$/.exec(text.trim());
  const unit = unitBytes.get(parts?.[2] ?? '');
  if (parts === null || unit === undefined) return null;
  const bytes = Number(parts[1]) * unit;
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** @returns the shortest exact form: `64GiB` rather than `68719476736`. */
export function formatByteSize(bytes: number): string {
  for (const unit of ['TiB', 'GiB', 'MiB', 'KiB']) {
    const size = unitBytes.get(unit) ?? 1;
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return String(bytes);
}
