/*
 * npm run campaign -- NAME [COUNT] [SEED] [CASE]: runs one campaign in full. Without a name, and for `help`, lists the
 * campaigns. Exits with 1 on a violation and prints the command that repeats it; exits with 2 on wrong usage.
 */
import { debianPrograms } from '../support/debian-programs.ts';
import type { Campaign } from './campaign.ts';
import { campaigns } from './campaigns.ts';
import { newSeed, runCampaign } from './run-campaign.ts';

function list(): void {
  console.log('npm run campaign -- NAME [COUNT] [SEED] [CASE]\n');
  for (const { name, summary, sampleCount, fullCount } of campaigns) {
    console.log(`${name}: ${summary}`);
    console.log(`    ${fullCount} in full, ${sampleCount} in a sample`);
  }
}

function wholeNumber(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`${name} must be a whole number, not ${text}.`);
  process.exit(2);
}

async function run(campaign: Campaign, numbers: readonly (string | undefined)[]): Promise<number> {
  const count = wholeNumber(numbers[0], 'COUNT') ?? campaign.fullCount;
  const seed = wholeNumber(numbers[1], 'SEED') ?? newSeed();
  const onlyCase = wholeNumber(numbers[2], 'CASE');
  const { skip } = debianPrograms(...(campaign.tools ?? []));
  if (skip !== false) {
    console.error(`${campaign.name} cannot run here: ${skip}`);
    return 1;
  }
  const options = { count, seed, isFull: true, note: (line: string) => console.log(line) };
  try {
    await runCampaign(campaign, onlyCase === undefined ? options : { ...options, onlyCase });
    return 0;
  } catch (fault) {
    console.error(fault);
    return 1;
  }
}

const helpWords = ['help', 'list', '--help', '-h'];
const [name, ...numbers] = process.argv.slice(2);
const wanted = campaigns.find((campaign) => campaign.name === name);
if (name === undefined || helpWords.includes(name)) list();
else if (wanted === undefined) {
  console.error(`There is no campaign ${name}. There are: ${campaigns.map((it) => it.name).join(', ')}.`);
  process.exitCode = 2;
} else process.exitCode = await run(wanted, numbers);
