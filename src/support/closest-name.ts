import { distance } from 'fastest-levenshtein';

/** Longer names are not compared: they are not typos. */
const comparedCharsMax = 100;

/** @returns the known name that was probably meant, or null when none is close. */
export function closestName(name: string, known: readonly string[]): string | null {
  if (name.length > comparedCharsMax) return null;
  let closest: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const edits = distance(name.toLowerCase(), candidate.toLowerCase());
    if (edits < least) {
      least = edits;
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
