/** The last link of a ledger's hash chain. */
export interface LedgerHead {
  readonly sequence: number;
  readonly hash: Uint8Array;
}

/** Ledgers are organisations and personal projects: far fewer are written to between two restarts. */
const headsMax = 4096;

/**
 * Where the appended tables end: the writer is the only one that appends, so it need not look after each commit. What a
 * transaction has noted is forgotten when it fails, and read again.
 */
export class WrittenTail {
  /** The sequence of the oldest entry of the change log; null until it was read. */
  changeLogFirst: number | null = null;
  /** The sequence of the newest entry ever given, 0 before the first; null until it was read. */
  changeLogLast: number | null = null;
  readonly #heads = new Map<string, LedgerHead>();

  head(ledgerId: string): LedgerHead | undefined {
    return this.#heads.get(ledgerId);
  }

  setHead(ledgerId: string, head: LedgerHead): void {
    if (this.#heads.size >= headsMax && !this.#heads.has(ledgerId)) this.#heads.clear();
    this.#heads.set(ledgerId, head);
  }

  forget(): void {
    this.changeLogFirst = null;
    this.changeLogLast = null;
    this.#heads.clear();
  }
}
