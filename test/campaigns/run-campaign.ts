import { withLifetime } from '../support/lifetime.ts';
import { createRandom } from '../support/random.ts';
import type { Campaign, CampaignCase, CampaignCounts } from './campaign.ts';

export interface CampaignOptions {
  readonly count: number;
  readonly seed: number;
  readonly isFull: boolean;
  /** Runs only this case. Cases that build on one another need the whole run. */
  readonly onlyCase?: number;
  readonly note: (line: string) => void;
}

/** A violation, with the command that repeats it. */
export class CampaignFailure extends Error {
  override readonly name = 'CampaignFailure';
}

const progressIntervalMs = 10_000;

/**
 * Runs a campaign and prints its seed, its progress and its closing line.
 * @throws CampaignFailure on a violation
 */
export async function runCampaign(campaign: Campaign, options: CampaignOptions): Promise<CampaignCounts> {
  const { count, seed, isFull, note } = options;
  const random = createRandom(seed);
  const startedAt = performance.now();
  let caseNumber = 0;
  const say = (text: string): void => note(`campaign ${campaign.name}: ${text}`);
  say(`count ${count}, seed ${seed}`);
  function* cases(): Generator<CampaignCase> {
    let saidAt = startedAt;
    const numbers = options.onlyCase === undefined ? range(1, count) : [options.onlyCase];
    for (const number of numbers) {
      caseNumber = number;
      if (performance.now() - saidAt > progressIntervalMs) {
        saidAt = performance.now();
        say(`case ${number} of ${count}, after ${secondsSince(startedAt)} s`);
      }
      yield { number, random: random.fork(number) };
    }
    caseNumber = 0;
  }
  try {
    const counts = await withLifetime(async ({ teardown }) =>
      campaign.run({ count, seed, random, isFull, note: say, cases, teardown }),
    );
    say(`passed in ${secondsSince(startedAt)} s: ${countsText(counts)}`);
    return counts;
  } catch (fault) {
    const repeat = `npm run campaign -- ${campaign.name} ${count} ${seed}`;
    const where = caseNumber === 0 ? '' : ` in case ${caseNumber} (alone: ${repeat} ${caseNumber})`;
    const what = fault instanceof Error ? fault.message : String(fault);
    say(`FAILED${where} after ${secondsSince(startedAt)} s; to repeat: ${repeat}`);
    throw new CampaignFailure(`${campaign.name}, seed ${seed}${where}: ${what}`, { cause: fault });
  }
}

/** A seed for a run without a given one. */
export function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 31);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}

function countsText(counts: CampaignCounts): string {
  return Object.entries(counts)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
