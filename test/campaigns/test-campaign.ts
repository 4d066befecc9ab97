import t from 'tap';
import { debianPrograms } from '../support/debian-programs.ts';
import type { Campaign } from './campaign.ts';
import { runCampaign } from './run-campaign.ts';

/** Of every sample, so that none passes or fails by luck: `npm run campaign` tries others. */
const sampleSeed = 20_261_123;
/** Above what any sample takes, so that a campaign that hangs is reported by its own name. */
const sampleTimeoutMs = 300_000;

/** A whole number of the environment. */
function numberFrom(name: string): number | null {
  const text = process.env[name];
  if (text === undefined || text === '') return null;
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} must be a whole number, not ${text}`);
  return Number(text);
}

/**
 * Runs a campaign's sample as a test. `CAMPAIGN_SEED` gives another seed. Without a tool that it needs it is skipped and says
 * so, except where CI is set: there it fails.
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
