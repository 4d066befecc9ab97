import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFileOf } from '../../src/storage/lmdb/environment.ts';
import { markerFileOf } from '../../src/storage/store-identity.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Campaign, CampaignContext, CampaignCounts } from './campaign.ts';
import { buildDiskShim, shimTools } from './disk/disk-shim.ts';
import { cutImage } from './power-loss/cut-image.ts';
import { JudgeProcess } from './power-loss/judge-process.ts';
import { allowedDigests, hasMarker, type Recording, randomEnd, record } from './power-loss/recording.ts';

const cutsPerRecording = 25;
const commitsPerRecording = 250;
/** The probability that an unsynced sector has reached the disk. */
const keepShares = [0, 0.03, 0.5, 0.97, 1];

interface Tally {
  tornCuts: number;
  pendingSectors: number;
  underWayKept: number;
  /** Losses that the canary found. */
  violations: string[];
}

export const powerLoss: Campaign = {
  name: 'power-loss',
  summary: 'a power loss at any write loses no acknowledged change, and every change is complete or absent',
  sampleCount: 25,
  fullCount: 1000,
  tools: shimTools,
  async run(context) {
    const library = buildDiskShim(context);
    const judge = new JudgeProcess(context);
    const tally: Tally = { tornCuts: 0, pendingSectors: 0, underWayKept: 0, violations: [] };
    let recorded = null as { readonly number: number; readonly recording: Recording } | null;
    for (const { number, random } of context.cases()) {
      const recordingNumber = Math.floor((number - 1) / cutsPerRecording);
      if (recorded?.number !== recordingNumber) {
        const recording = await recordOne(context, library, recordingNumber, true);
        recorded = { number: recordingNumber, recording };
      }
      const violation = await cutOnce(recorded.recording, judge, random, tally);
      if (violation !== null) throw new Error(violation);
    }
    const canary = await runCanary(context, library, judge);
    return countsOf(context, tally, canary);
  },
};

function recordOne(
  context: CampaignContext,
  library: string,
  number: number,
  hasMetaSync: boolean,
): Promise<Recording> {
  const seed = context.random.fork(-1 - number).integer(1, 2 ** 31);
  const options = { library, seed, commits: commitsPerRecording, hasMetaSync };
  return withLifetime((t) => record(t, options));
}

/** The same with LMDB's `noMetaSync`, which does not wait for the disk: a campaign that finds no loss here is blind. */
async function runCanary(context: CampaignContext, library: string, judge: JudgeProcess): Promise<number> {
  const recording = await recordOne(context, library, -1, false);
  const tally: Tally = { tornCuts: 0, pendingSectors: 0, underWayKept: 0, violations: [] };
  for (let cut = 0; cut < cutsPerRecording; cut += 1) {
    const violation = await cutOnce(recording, judge, context.random.fork(-1000 - cut), tally);
    if (violation !== null) tally.violations.push(violation);
  }
  if (tally.violations.length === 0)
    throw new Error('without syncs of the head nothing was lost: the campaign is blind');
  return tally.violations.length;
}

/** @returns the loss or damage; null if there was none. */
async function cutOnce(
  recording: Recording,
  judge: JudgeProcess,
  random: Random,
  tally: Tally,
): Promise<string | null> {
  return withLifetime(async (t) => {
    const end = randomEnd(recording, random);
    const keepShare = random.pick(keepShares);
    const { image, pendingSectors } = cutImage(recording.events, end, random, keepShare);
    if (pendingSectors > 0) tally.tornCuts += 1;
    tally.pendingSectors += pendingSectors;
    const directory = writeImage(t, recording, image, hasMarker(recording, end, random));
    const judgement = await judge.judge(directory);
    const where = `after ${end} of ${recording.events.length} writes and syncs, ${keepShare} of the unsynced kept`;
    if (judgement.kind === 'ended') return `${where}: opening the file ended the process by ${judgement.by}`;
    if (judgement.kind === 'refused') return `${where}: refused, ${judgement.message}`;
    const { last, underWay } = allowedDigests(recording, end);
    const [finding] = judgement.findings;
    if (finding !== undefined) return `${where}: burgee check finds ${finding}`;
    if (judgement.digest === last) return null;
    if (judgement.digest !== underWay) return `${where}: the store does not hold the last acknowledged state`;
    tally.underWayKept += 1;
    return null;
  });
}

function writeImage(t: Lifetime, recording: Recording, image: Buffer, isMarked: boolean): string {
  const directory = join(temporaryDirectory(t), 'data');
  mkdirSync(directory, { mode: 0o700 });
  if (image.length > 0 || isMarked) writeFileSync(dataFileOf(directory), image, { mode: 0o600 });
  if (isMarked) writeFileSync(markerFileOf(directory), recording.marker, { mode: 0o600 });
  return directory;
}

function countsOf({ count }: CampaignContext, tally: Tally, canary: number): CampaignCounts {
  return {
    cuts: count,
    'with unsynced sectors': tally.tornCuts,
    'unsynced sectors': tally.pendingSectors,
    'changes under way that were kept': tally.underWayKept,
    'losses found without meta sync': `${canary} of ${cutsPerRecording} cuts`,
  };
}
