/** What a sign-in holds of the process' password desk, which checks and makes a few hashes at a time. */
export interface PasswordPort {
  /** @param passwordHash null for a member who is unknown or has none: the work is the same. */
  check(passwordHash: string | null, password: string): Promise<boolean | 'busy'>;
  /** The same for several hashes, one after the other in one place. @returns which of them are right */
  checkEach(
    passwordHashes: readonly (string | null)[],
    password: string,
  ): Promise<readonly boolean[] | 'busy'>;
  hash(password: string): Promise<string | 'busy'>;
}
