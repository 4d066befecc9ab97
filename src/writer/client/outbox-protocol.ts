import type { DenialLetter } from '../../domain/outbox/denial-letter.ts';

/** The notifier's commands to the writer, which owns the outbox. */
export type OutboxCommand =
  /**
   * Asks for some letters after an entry that are due.
   * `retriesFailed`: letters that were given up are due too.
   */
  | { readonly kind: 'take'; readonly after: number; readonly retriesFailed: boolean }
  /**
   * On a node of a cluster, before a letter is sent: from then on no other node sends it, even if this node ends before it
   * has reported the outcome.
   */
  | {
      readonly kind: 'begin';
      readonly sequence: number;
      /** The node and attempt that begin it. A retry after an unknown outcome has the same value. */
      readonly by: string;
    }
  /** The letter was accepted for all of its recipients, or can never be. */
  | { readonly kind: 'settled'; readonly sequence: number }
  | {
      readonly kind: 'postponed';
      readonly sequence: number;
      readonly fault: string;
      /** Recipients to whom it need not be sent again. */
      readonly settledMemberIds: readonly string[];
      readonly isPermanent: boolean;
    };

/** A part of the outbox, read in the order of its entries. */
export interface OutboxPage {
  readonly letters: readonly DenialLetter[];
  /** The entry after which to continue; null at the end. */
  readonly after: number | null;
  /** When the next letter that is not due yet becomes due; null when there is none. */
  readonly nextAttemptAt: number | null;
  /** Number of entries of this part that were given up. */
  readonly failed: number;
}
