import { isEmailAddress } from '../member/email.ts';
import type { Member } from '../member/member.ts';
import type { RecordQueries } from '../record-queries.ts';

/**
 * The members whose email this is, of whatever organisation. Of letters beyond ASCII the case counts here, as it does not
 * elsewhere: a Kelvin sign in lower case is a k, and whoever has an address with one at a provider is another person.
 *
 * @param email that the provider says is verified
 */
export function findByVerifiedEmail(queries: RecordQueries, email: string): readonly Member[] {
  if (!isEmailAddress(email)) return [];
  return [...queries.membersByEmail(email)].filter(
    (member) => asciiLower(member.email) === asciiLower(email),
  );
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
