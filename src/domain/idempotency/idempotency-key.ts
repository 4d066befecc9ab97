import type { ProblemList } from '../problem-list.ts';

export const idempotencyKeyLengthMax = 255;

/**
 * Reads the header `Idempotency-Key`. Sent several times it has been joined by a comma and a space, which no key holds.
 *
 * @param problems gets it when it is not 1 to 255 visible ASCII characters.
 * @returns null when there is none, or a problem.
 */
export function readIdempotencyKey(header: string | null, problems: ProblemList): string | null {
  if (header === null || isIdempotencyKey(header)) return header;
  const rule = `1 to ${idempotencyKeyLengthMax} visible ASCII characters without spaces, sent once`;
  problems.add(() => `the header Idempotency-Key must be ${rule}`);
  return null;
}

export function isIdempotencyKey(text: string): boolean {
  return text.length <= idempotencyKeyLengthMax && /^[\x21-\x7e]+$/.test(text);
}
