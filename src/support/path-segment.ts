import { highestRaw } from './query-string.ts';

const percent = 0x25;

/**
 * @returns whether a path segment neither has encoded characters nor needs them. One test for each character, no call.
 */
export function isPlainSegment(segment: string): boolean {
  for (let at = 0; at < segment.length; at += 1) {
    const code = segment.charCodeAt(at);
    if (code === percent || code > highestRaw) return false;
  }
  return true;
}

/** @returns the decoded path segment, or the segment itself when it cannot be decoded: then it matches no id. */
export function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
