import { emailCharsMax } from '../bounds.ts';
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export interface Member {
  readonly id: string;
  /** Null for a person who only owns personal projects. */
  readonly organisationId: string | null;
  readonly name: string;
  /** Stored as given; compared in lower case. */
  readonly email: string;
  readonly role: Role;
  /** Argon2id, PHC string; null until a password is set. */
  readonly passwordHash: string | null;
  readonly createdAt: number;
  /** Null before the first sign-in. It moves without a new revision, so that no edit conflicts with a sign-in. */
  readonly lastSignInAt: number | null;
  readonly revision: number;
}

/** The account whose quotas a member uses (`accountOf` is that of a project). */
export function accountOfMember({ id, organisationId }: Member): string {
  return organisationId ?? id;
}

/**
 * Excludes everything that could end a header of a mail or begin another address: spaces, control characters, quotes.
 */
const emailPattern = /^[^\s\p{C}<>()[\]\\,;:"@]{1,64}@[^\s\p{C}<>()[\]\\,;:"@]+$/u;

/** Whether mail could be sent to it. Checked for members, and before a letter is sent. */
export function isEmailAddress(text: string): boolean {
  return text.length <= emailCharsMax && emailPattern.test(text);
}

/** Emails are kept as given and compared in lower case. */
export function isSameEmail(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
