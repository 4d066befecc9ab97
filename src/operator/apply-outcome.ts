import type { ProvisionCounts } from '../writer/provision/provision-protocol.ts';

/** What is done: bytes that have arrived, flags that were checked, flags that were written. */
export const applyPhases = ['receive', 'check', 'write'] as const;
export type ApplyPhase = (typeof applyPhases)[number];

/** Told again and again while a file is applied. */
export type ApplyProgress = (phase: ApplyPhase, done: number, total: number) => void;

export type ApplyOutcome =
  | {
      readonly ok: true;
      /** JSON: ids, and the secrets of new tokens, by name. */
      readonly document: Uint8Array;
      readonly warnings: readonly string[];
      readonly counts: ProvisionCounts;
    }
  /** Nothing was applied. The first 50 problems, and how many there are in all. */
  | { readonly ok: false; readonly problems: readonly string[]; readonly problemCount: number };
