/** Every id is 20 characters of `0-9A-Za-z` (decisions); what is not shaped so is unknown without a look-up. */
export function isIdShaped(text: string): boolean {
  return text.length === 20 && /^[0-9A-Za-z]+$/.test(text);
}
