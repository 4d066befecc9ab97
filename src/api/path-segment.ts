/** @returns the path segment decoded, or the segment as it is when it cannot be: then it matches no id. */
export function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
