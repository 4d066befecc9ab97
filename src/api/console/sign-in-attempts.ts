/** Counts attempts to sign in, by account and by address. Implemented by the worker's limiters. */
export interface SignInAttempts {
  /**
   * Counts an attempt before any work is done for it, so that many at once are counted too.
   * @returns null when it may be made, or the seconds after which one may.
   */
  begin(account: string, limitKey: string): number | null;
  /** The attempt was right, or nothing was checked: it does not count. */
  giveBack(account: string, limitKey: string): void;
  /** An attempt whose account shows only at its end: the address alone is counted. */
  beginFrom(limitKey: string): number | null;
  giveBackFrom(limitKey: string): void;
}
