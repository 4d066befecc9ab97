import { bootServer, listeningPort, startServer } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { createHttpClient } from '../support/http-client.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { Campaign, CampaignContext, CampaignCounts } from './campaign.ts';
import {
  ask,
  changeOn,
  copySite,
  type DamagedSite,
  makeSite,
  requireChanges,
  siteSettings,
} from './damage/damaged-site.ts';
import { type Damage, damages } from './damage/damages.ts';

/** In a sample `burgee check` runs on every fourth directory; in a full run on each. */
const sampleChecksEvery = 4;

interface Tally {
  refused: number;
  served: number;
  answers: number;
  refusedAnswers: number;
  checks: number;
  changes: number;
}

/** The outcomes of a server on a damaged directory. */
type Outcome = 'refused' | 'served whole' | 'served in part';

export const damagedData: Campaign = {
  name: 'damaged-data',
  summary: 'damaged data is refused at the start or when it is read, and never makes a wrong answer',
  sampleCount: damages.length + 1,
  fullCount: 200,
  async run(context) {
    const site = await makeSite(context);
    const tally: Tally = { refused: 0, served: 0, answers: 0, refusedAnswers: 0, checks: 0, changes: 0 };
    for (const { number, random } of context.cases()) {
      const damage = damages[number % (damages.length + 1)];
      await withLifetime(async (t) => {
        if (damage === undefined) await beRefusedBeside(t, site, tally);
        else await damageOnce(t, context, site, damage, number, random, tally);
      });
    }
    return countsOf(context, tally);
  },
};

async function damageOnce(
  t: Lifetime,
  { isFull }: CampaignContext,
  site: DamagedSite,
  damage: Damage,
  number: number,
  random: Random,
  tally: Tally,
): Promise<void> {
  const dataDir = copySite(t, site);
  await damage.inflict(dataDir, random, site.flagIds);
  const mustCheck = isFull || number % sampleChecksEvery === 0;
  const checkedBefore = mustCheck ? await check(dataDir, tally) : null;
  const outcome = await serve(t, site, damage, dataDir, tally);
  if (damage.isFatal && outcome !== 'refused') throw new Error(`${damage.name}: it started`);
  if (checkedBefore === null) return;
  const isClean = checkedBefore.code === 0;
  const mayBeClean = outcome === 'served whole' && damage.isFoundWhenRead !== true;
  if (isClean === mayBeClean) return;
  throw new Error(`${damage.name}: ${outcome}, but burgee check: ${checkedBefore.text}`);
}

async function check(
  dataDir: string,
  tally: Tally,
): Promise<{ readonly code: number | null; readonly text: string }> {
  tally.checks += 1;
  const { code, stdout, stderr } = await runBurgee(['check', '--data-dir', dataDir]);
  const text = `exit ${code}\n${stdout}${stderr}`;
  if (code !== 0 && code !== 3) throw new Error(`burgee check: ${text}`);
  return { code, text };
}

/** Serves a damaged directory twice: what the first server acknowledged, the second one has. */
async function serve(
  t: Lifetime,
  site: DamagedSite,
  damage: Damage,
  dataDir: string,
  tally: Tally,
): Promise<Outcome> {
  const { name } = damage;
  const server = await start(t, damage, dataDir);
  if (server.port === null) {
    requireRefusal(name, await server.ended, server.lines);
    tally.refused += 1;
    return 'refused';
  }
  tally.served += 1;
  const refusedAnswers = await compareAnswers(t, site, name, server.port);
  tally.answers += site.answers.length;
  tally.refusedAnswers += refusedAnswers;
  const changes = await changeOn(createHttpClient(t, { port: server.port }), site);
  const { acknowledged, unclear } = changes;
  await server.stop();
  const next = await start(t, damage, dataDir);
  if (next.port === null)
    throw new Error(
      `${name}: ${acknowledged.size} changed flags, and then the start is refused: ${next.lines.join('\n')}`,
    );
  const refused = await requireChanges(createHttpClient(t, { port: next.port }), site, changes);
  if (refused > unclear.size)
    throw new Error(`${name}: ${refused} flags whose changes were acknowledged cannot be read`);
  await compareAnswers(t, site, name, next.port);
  await next.stop();
  tally.changes += acknowledged.size;
  return refusedAnswers === 0 && unclear.size === 0 ? 'served whole' : 'served in part';
}

/** @returns the server with its port; null if it refuses to start */
async function start(t: Lifetime, { isFoundWhenRead }: Damage, dataDir: string) {
  const settings = isFoundWhenRead ? { ...siteSettings, BURGEE_START_CHECK_BYTES: '0' } : siteSettings;
  const server = startServer(t, { dataDir, settings });
  const isListening = (line: string): boolean => listeningPort(line) !== null;
  const port = await server.line(isListening).then(listeningPort, () => null);
  return { ...server, port };
}

/** What a helpful message asks its reader to do. */
const advice = /Restore |restore |Move it away|delete store\.json|choose another directory|Stop that process/;

function requireRefusal(name: string, end: number | NodeJS.Signals, lines: readonly string[]): void {
  const text = lines.join('\n');
  if (end === 1 && advice.test(text)) return;
  throw new Error(`${name}: the start ended with ${end} and said: ${text}`);
}

/** @returns how many answers are a refusal (5xx, or cut off). @throws on a wrong answer */
async function compareAnswers(t: Lifetime, site: DamagedSite, name: string, port: number): Promise<number> {
  const client = createHttpClient(t, { port });
  let refused = 0;
  for (const known of site.answers) {
    const answer = await ask(client, known).catch(() => null);
    if (answer === null || answer.status >= 500) refused += 1;
    else if (answer.status !== known.status || answer.text !== known.text) {
      const [was, is] = [known, answer].map(({ status, text }) => `${status} ${text}`);
      throw new Error(`${name}: ${known.method} ${known.path} is answered ${is}, not ${was}`);
    }
  }
  return refused;
}

async function beRefusedBeside(t: Lifetime, site: DamagedSite, tally: Tally): Promise<void> {
  const dataDir = copySite(t, site);
  const first = await bootServer(t, { dataDir, settings: siteSettings });
  const second = startServer(t, { dataDir, settings: siteSettings });
  requireRefusal('in use', await second.ended, second.lines);
  tally.refused += 1;
  const refused = await compareAnswers(t, site, 'in use', first.port);
  if (refused > 0) throw new Error(`in use: the first server refused ${refused} requests`);
  await first.stop();
}

function countsOf({ count }: CampaignContext, tally: Tally): CampaignCounts {
  return {
    damages: count,
    'refused at the start': tally.refused,
    served: tally.served,
    'answers compared': tally.answers,
    'of them refused': tally.refusedAnswers,
    'flags changed later': tally.changes,
    'burgee check agrees': tally.checks,
  };
}
