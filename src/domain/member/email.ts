import { isWellFormed } from '../../support/code-points.ts';

/** The longest address that mail can be sent to (RFC 5321). */
export const emailCharsMax = 254;

/** Whether mail could go there: one `@` with something on both sides, no spaces, no control characters. */
export function isEmailAddress(text: string): boolean {
  return text.length <= emailCharsMax && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(text) && isWellFormed(text);
}

/** Emails are kept as given and compared in lower case. */
export function isSameEmail(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
