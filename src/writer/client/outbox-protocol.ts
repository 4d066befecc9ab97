import type { DenialLetter } from '../../domain/outbox/denial-letter.ts';

/** What the notifier asks of the writer, which owns the outbox. */
export type OutboxCommand =
  /**
   * The letters that are due after an entry, a bounded few.
   * `retriesFailed`: those that were given up are due too.
   */
  | { readonly kind: 'take'; readonly after: number; readonly retriesFailed: boolean }
  /** It was accepted for all of its recipients, or can never be. */
  | { readonly kind: 'settled'; readonly sequence: number }
  | {
      readonly kind: 'postponed';
      readonly sequence: number;
      readonly fault: string;
      /** Recipients that need nothing more. */
      readonly settledMemberIds: readonly string[];
      readonly isPermanent: boolean;
    };

/** A part of the outbox, looked through in the order of its entries. */
export interface OutboxPage {
  readonly letters: readonly DenialLetter[];
  /** Where to go on; null at the end. */
  readonly after: number | null;
  /** When the next of the letters that are not due yet is; null when there is none. */
  readonly nextAttemptAt: number | null;
  /** Entries of this part that were given up. */
  readonly failed: number;
}
