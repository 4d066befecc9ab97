/** The last character that may stand unencoded in a path or query. */
export const highestRaw = 0x7e;

/**
 * @returns whether a path or query, as received, has a character that must be percent-encoded: one above U+007E
 * (decisions, query decoding).
 */
export function hasRawCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > highestRaw) return true;
  return false;
}

/** One `name=value` of a raw query. */
export interface QueryParameter {
  /** Decoded; null when it cannot be. */
  readonly name: string | null;
  /** Decoded; null when it cannot be. */
  readonly value: string | null;
  readonly rawValue: string;
  /** `raw-character`: a character above U+007E was not encoded; `escape`: a bad percent escape, or not UTF-8. */
  readonly fault: 'raw-character' | 'escape' | null;
}

/**
 * Splits and decodes a raw query in the simplest way: percent-decoding as UTF-8 and nothing else; a `+` is a plus. It
 * is also the reference that the fast decoder of evaluations is tested against.
 *
 * @param raw as received, without the question mark.
 */
export function decodeQuery(raw: string): QueryParameter[] {
  return raw
    .split('&')
    .filter((piece) => piece !== '')
    .map(decodeParameter);
}

function decodeParameter(piece: string): QueryParameter {
  const equals = piece.indexOf('=');
  const rawName = equals < 0 ? piece : piece.slice(0, equals);
  const rawValue = equals < 0 ? '' : piece.slice(equals + 1);
  const name = decode(rawName);
  const value = decode(rawValue);
  const escapeFault = name === null || value === null ? 'escape' : null;
  return { name, value, rawValue, fault: hasRawCharacter(piece) ? 'raw-character' : escapeFault };
}

function decode(text: string): string | null {
  if (hasRawCharacter(text)) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // URIError: a malformed escape, or bytes that are not UTF-8
  }
}
