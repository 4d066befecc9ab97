export const idChars = 20;
const idPattern = /^[0-9A-Za-z]{20}$/;

/**
 * Every id is 20 characters of `0-9A-Za-z` (decisions). Another shape is unknown without a look-up: a URL may have any
 * characters, and in a latin1 key a foreign character would become the byte of another one.
 */
export function isIdShaped(text: string): boolean {
  return idPattern.test(text);
}
