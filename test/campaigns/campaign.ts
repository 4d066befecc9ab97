import type { Lifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';

export interface CampaignCase {
  /** The case's number, from 1. */
  readonly number: number;
  /** The case's own: seed and number repeat it. */
  readonly random: Random;
}

/**
 * What a campaign runs with. Its lifetime ends with the run and ends servers, directories and clients that are bound to
 * it.
 */
export interface CampaignContext extends Lifetime {
  readonly count: number;
  readonly seed: number;
  readonly random: Random;
  /** Whether `npm run campaign` runs it. Only then may ratios and percentiles be asserted; in a sample they may not. */
  readonly isFull: boolean;
  /** Prints a line. */
  note(line: string): void;
  /** The cases, one after another, with progress. An error during a case is reported with its number. */
  cases(): Iterable<CampaignCase>;
}

/** The counts of the closing line, by name. */
export type CampaignCounts = Readonly<Record<string, number | string>>;

/** A fault that Burgee must survive, tried many times at random. */
export interface Campaign {
  readonly name: string;
  /** One sentence: what the campaign does and what must hold. */
  readonly summary: string;
  /** The number of cases in `npm run test:full`, in which all campaigns together take at most 8 minutes. */
  readonly sampleCount: number;
  readonly fullCount: number;
  /** Programs that it needs, by their names in `scripts/lib/ensure-debian.mjs`. */
  readonly tools?: readonly string[];
  /** @throws on a violation */
  run(context: CampaignContext): Promise<CampaignCounts>;
}
