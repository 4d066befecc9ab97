/** @returns how many single-character edits lead from one text to the other (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Longer names are not compared: they are no typing errors. */
const comparedCharsMax = 100;

/** @returns the known name that was probably meant, or null when none is close. */
export function closestName(name: string, known: readonly string[]): string | null {
  if (name.length > comparedCharsMax) return null;
  let closest: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      closest = candidate;
    }
  }
  return closest;
}

/** @returns `; did you mean "port"?`, or nothing when no known name is close. */
export function didYouMean(name: string, known: readonly string[]): string {
  const closest = closestName(name, known);
  return closest === null ? '' : `; did you mean ${closest}?`;
}
