import t from 'tap';
import { debianPrograms } from '../support/debian-programs.ts';
import type { Campaign } from './campaign.ts';
import { runCampaign } from './run-campaign.ts';

/** The seed of every sample, so that none passes or fails by chance; `npm run campaign` tries other seeds. */
const sampleSeed = 20_261_123;
/** Longer than any sample takes, so that a hanging campaign is reported by its name. */
const sampleTimeoutMs = 300_000;

/** A whole number from an environment variable. */
function numberFrom(name: string): number | null {
  const text = process.env[name];
  if (text === undefined || text === '') return null;
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} must be a whole number, not ${text}`);
  return Number(text);
}

/**
 * Runs a campaign's sample as a test. `CAMPAIGN_SEED` gives another seed. If a program that it needs is missing, it is
 * skipped with the reason; with CI set it fails.
 */
export function testCampaign(campaign: Campaign): void {
  t.setTimeout(sampleTimeoutMs + 10_000);
  t.test(campaign.summary, { timeout: sampleTimeoutMs }, async (t) => {
    const { skip } = debianPrograms(...(campaign.tools ?? []));
    if (skip !== false) {
      t.comment(`campaign ${campaign.name}: not run, ${skip}`);
      t.pass('cannot run here', { skip });
      return;
    }
    const seed = numberFrom('CAMPAIGN_SEED') ?? sampleSeed;
    const note = (line: string): void => t.comment(line);
    const counts = await runCampaign(campaign, { count: campaign.sampleCount, seed, isFull: false, note });
    t.ok(Object.keys(counts).length > 0, 'the campaign counted something');
  });
}
