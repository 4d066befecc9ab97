import type { Lifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';

export interface CampaignCase {
  /** From 1. */
  readonly number: number;
  /** Its own: the seed and the number repeat it. */
  readonly random: Random;
}

/** What a campaign runs with. Its lifetime ends with the run: servers, directories and clients may hang on it. */
export interface CampaignContext extends Lifetime {
  readonly count: number;
  readonly seed: number;
  readonly random: Random;
  /** Run by `npm run campaign`, not as a sample: only then may ratios and percentiles be asserted. */
  readonly isFull: boolean;
  /** Prints a line. */
  note(line: string): void;
  /** The cases, one after another, with progress. What is thrown while one is under way is reported with its number. */
  cases(): Iterable<CampaignCase>;
}

/** Counts that matter, by what they count: the closing line. */
export type CampaignCounts = Readonly<Record<string, number | string>>;

/** A fault that Burgee must survive, tried many times at random. */
export interface Campaign {
  readonly name: string;
  /** One sentence: what is done and what must hold. */
  readonly summary: string;
  /** In `npm run test:full`; all campaigns together take at most 8 minutes there. */
  readonly sampleCount: number;
  readonly fullCount: number;
  /** Programs that it needs, of those that `scripts/lib/ensure-debian.mjs` knows. */
  readonly tools?: readonly string[];
  /** @throws on a violation */
  run(context: CampaignContext): Promise<CampaignCounts>;
}
