const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const nameLength = 20;

/** @returns a new name of a request, in the form of every id: the audit log has it beside what the request changed */
export function newRequestName(): string {
  const random = crypto.getRandomValues(new Uint8Array(nameLength));
  // A name need not be secret: the small bias of the remainder does no harm.
  return Array.from(random, (byte) => alphabet[byte % alphabet.length]).join('');
}
