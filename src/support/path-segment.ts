import { highestRaw } from './query-string.ts';

const percent = 0x25;

/** @returns whether nothing in a path segment is encoded, or would have to be. One look at each character, no call. */
export function isPlainSegment(segment: string): boolean {
  for (let at = 0; at < segment.length; at += 1) {
    const code = segment.charCodeAt(at);
    if (code === percent || code > highestRaw) return false;
  }
  return true;
}

/** @returns the path segment decoded, or the segment as it is when it cannot be: then it matches no id. */
export function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
