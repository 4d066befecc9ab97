const idPattern = /^[0-9A-Za-z]{20}$/;

/**
 * Every id is 20 characters of `0-9A-Za-z` (decisions); what is not shaped so is unknown without a look-up. What comes
 * from a URL may be anything: as latin1 key bytes a foreign character would alias another id.
 */
export function isIdShaped(text: string): boolean {
  return idPattern.test(text);
}
