import { setTimeout as pause } from 'node:timers/promises';
import { bootServer } from '../support/booted-server.ts';
import { expect } from '../support/expectations.ts';
import { withLifetime } from '../support/lifetime.ts';
import { findPostgres } from '../support/postgres/postgres-binaries.ts';
import type { Random } from '../support/random.ts';
import { bootTampered } from '../support/tampering/tampered-server.ts';
import type { Campaign, CampaignContext } from './campaign.ts';
import { ClusterLoad, type LoadCounts } from './cluster/cluster-load.ts';
import { allAttached, type Boot, openStage } from './cluster/cluster-stage.ts';
import { Denials, judgeMails, startDenialMails } from './cluster/denials.ts';
import { judgeNodes, judgeStores } from './cluster/judge-cluster.ts';
import type { Play } from './cluster/nemeses.ts';
import { inTurn, nemeses, restoreUnderLoad } from './cluster/nemeses.ts';
import { PositionWatch } from './cluster/position-watch.ts';

const faultsPerRun = { sample: 3, full: 6 };
/** Longer than a lease, so that others have gone on without the node. */
const standstillMs = {
  sample: { min: 500, max: 5000 },
  full: { min: 500, max: 10_000 },
  /** Longer than any time-out. */
  long: { min: 90_000, max: 90_000 },
};
/** In full, in each such number of runs a node and then PostgreSQL stand still for a long time. */
const longEvery = 20;
const longFaults = ['SIGSTOP of a node', 'SIGSTOP of PostgreSQL'];
const attachedMsMax = 60_000;
/** Answers of attached nodes that are compared with what was acknowledged: a million in twenty runs, where there are four. */
const checkedMin = { runs: 4, answers: 200_000 };

/** The second node's wall clock can be moved. */
function bootOf(place: number): Boot {
  if (place !== 1) return (t, dataDir, settings) => bootServer(t, { dataDir, settings });
  return (t, dataDir, settings) => bootTampered(t, { dataDir, settings });
}

/** The faults of a run, some of them two at once. */
function chooseFaults(random: Random, names: readonly string[], count: number): (readonly string[])[] {
  return Array.from({ length: count }, () => random.shuffle(names).slice(0, random.chance(0.25) ? 2 : 1));
}

type RunCounts = LoadCounts & PositionWatch['counts'] & { readonly denied: number; readonly mails: number };

async function playRun(
  { isFull, note }: CampaignContext,
  number: number,
  random: Random,
): Promise<RunCounts> {
  return withLifetime(async (t) => {
    const hasStandby = random.chance(0.3);
    const mail = await startDenialMails(t, random.fork(8));
    const settings = { BURGEE_SMTP_URL: mail.url };
    const stage = await openStage(t, { hasStandby, hasSmallDisk: true, boot: bootOf, settings });
    await allAttached(stage, attachedMsMax);
    const load = new ClusterLoad(stage, random, `run ${number}`);
    const positions = new PositionWatch(stage);
    const denials = new Denials(stage);
    const onNewPlace = (): void => {
      load.readAll();
      positions.watchAll();
    };
    const plays: Readonly<Record<string, Play>> = {
      ...nemeses,
      'a restore to an earlier moment': inTurn((nemesis) => restoreUnderLoad(nemesis, load)),
    };
    const isLong = isFull && number % longEvery === 1;
    const tier = isFull ? 'full' : 'sample';
    const faults = isLong
      ? longFaults.map((name) => [name])
      : chooseFaults(random, Object.keys(plays), faultsPerRun[tier]);
    const played: string[] = hasStandby ? ['with a standby'] : [];
    // Of a sample, too: who reads that it passed must know what it did not try.
    if (stage.places.every(({ disk }) => disk === null))
      note(`run ${number}: no disk may be mounted here: a full disk was not tried`);
    try {
      load.start(t);
      await pause(1000);
      for (const [index, names] of faults.entries()) {
        played.push(names.join(' + '));
        const playing = names.map((name, place) =>
          plays[name]?.({
            ...{ t, stage, onNewPlace },
            random: random.fork(index * 10 + place),
            standstillMs: standstillMs[isLong ? 'long' : tier],
          }),
        );
        await Promise.all(playing);
        await pause(random.integer(0, 1500));
      }
      await load.stopWriting();
      await allAttached(stage, attachedMsMax);
    } finally {
      await Promise.all([load.stop(), positions.stop(), denials.stop()]);
      if (isFull) note(`run ${number}: ${played.join(', ')}`);
      if (isFull) note(`run ${number}: ${JSON.stringify({ ...load.counts, ...positions.counts })}`);
    }
    const wrong = [
      ...load.faults,
      ...positions.faults,
      ...denials.faults,
      ...(await judgeNodes(stage, load)),
    ];
    // Uses of tokens are recorded every two seconds: a node that ends with some changes what the ended ones have.
    await pause(5000);
    for (const { server } of stage.places) await server?.stop();
    wrong.push(...(await judgeStores(stage)));
    await mail.received(mail.offered);
    // A restored database does not know of a mail that was sent since.
    wrong.push(...judgeMails(mail, 1 + load.historiesLost));
    expect(wrong.length === 0, `after ${played.join(', ')}:\n${wrong.slice(0, 20).join('\n')}`);
    return { ...load.counts, ...positions.counts, denied: denials.denied, mails: mail.offered };
  });
}

/** That nothing wrong was found says little where little was looked at. */
function requireEnough(total: Readonly<Record<string, number>>, isFull: boolean): void {
  const { runs = 0, checked = 0, positionLooks = 0, denied = 0, mails = 0 } = total;
  // A single run may be one in which PostgreSQL is away most of the time.
  const least = isFull ? Math.floor(runs / checkedMin.runs) * checkedMin.answers : 1;
  expect(checked >= least, `in ${runs} runs ${checked} answers were checked, and not ${least}`);
  expect(positionLooks > 0, 'positions of nodes were looked at');
  expect(denied > 0, 'writes were denied');
  // Where the sender died in the middle there is none.
  expect(mails >= Math.floor(runs / 2), `in ${runs} runs ${mails} mails were sent`);
}

export const cluster: Campaign = {
  name: 'cluster',
  summary:
    'three nodes and PostgreSQL that are killed, stopped, cut off and set back lose no acknowledged change, go back to no earlier position unsaid and send no mail twice, and no node that calls itself attached answers from before a change',
  sampleCount: 1,
  fullCount: 100,
  async run(context) {
    const { binaries, skip } = findPostgres();
    if (binaries === null) throw new Error(String(skip));
    const total: Record<string, number> = { runs: 0 };
    for (const { number, random } of context.cases()) {
      const counts = await playRun(context, number, random);
      total['runs'] = (total['runs'] ?? 0) + 1;
      for (const [name, count] of Object.entries(counts)) {
        const before = total[name] ?? 0;
        total[name] = name.startsWith('longest') ? Math.max(before, Math.round(count)) : before + count;
      }
    }
    requireEnough(total, context.isFull);
    return total;
  },
};
