import type { AuditHead } from '../domain/audit/audit-entry.ts';

/** A head takes half a kilobyte, and up to 2 KB more: the piece of its row that its strings were cut out of. */
const headsMax = 1000;

/**
 * The heads of entries that were read lately. An entry that was committed never changes, but takes milliseconds to read
 * when it is large, and each page that follows a project asks for the newest ones after each commit.
 */
export class AuditHeads {
  readonly #heads = new Map<string, AuditHead>();

  find(ledgerId: string, sequence: number): AuditHead | undefined {
    return this.#heads.get(nameOf(ledgerId, sequence));
  }

  /** The one that was added first makes room. */
  add(sequence: number, head: AuditHead): void {
    if (this.#heads.size === headsMax) {
      const [first] = this.#heads.keys();
      if (first !== undefined) this.#heads.delete(first);
    }
    this.#heads.set(nameOf(head.ledgerId, sequence), head);
  }
}

function nameOf(ledgerId: string, sequence: number): string {
  return `${ledgerId}/${sequence}`;
}
