/** The last character that a path or query may hold as it is. */
export const highestRaw = 0x7e;

/**
 * @returns whether a path or query, as received, holds what must be percent-encoded: anything above U+007E (decisions,
 *   query decoding).
 */
export function hasRawCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > highestRaw) return true;
  return false;
}
