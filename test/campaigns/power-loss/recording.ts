import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dataFileOf } from '../../../src/storage/lmdb/environment.ts';
import { markerFileOf } from '../../../src/storage/store-identity.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type DiskEvent, readDiskRecord, shimEnvironment } from '../disk/disk-shim.ts';
import { emptyDigest } from './model.ts';

const writerFile = fileURLToPath(new URL('./store-writer.js', import.meta.url));

/** The writes and syncs of the data file while a store was created and written to. */
export interface Recording {
  readonly events: readonly DiskEvent[];
  /** `store.json` as it was written once the store was complete. */
  readonly marker: Buffer;
  /** The first event that certainly came after `store.json`. */
  readonly createdAt: number;
}

export interface RecordingOptions {
  readonly library: string;
  readonly seed: number;
  readonly commits: number;
  readonly hasMetaSync: boolean;
}

/** Runs the store's writer under the shim. */
export async function record(t: Lifetime, options: RecordingOptions): Promise<Recording> {
  const { library, seed, commits, hasMetaSync } = options;
  const directory = join(temporaryDirectory(t), 'data');
  mkdirSync(directory, { mode: 0o700 });
  const path = join(temporaryDirectory(t), 'record');
  const shim = shimEnvironment({ library, file: dataFileOf(directory), record: path, hasMetaSync });
  const child = spawn(process.execPath, [writerFile, directory, path, String(seed), String(commits)], {
    env: { ...process.env, ...shim },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const end = await new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)));
  if (end !== 'SIGKILL') throw new Error(`the writer ended with ${end}: ${complaint}`);
  const events = readDiskRecord(path);
  const createdAt = events.findIndex((event) => event.kind === 'mark');
  const acknowledged = events.filter(({ kind }) => kind === 'mark').length - 1;
  if (acknowledged !== commits) throw new Error(`${acknowledged} of ${commits} commits were recorded`);
  return { events, marker: readFileSync(markerFileOf(directory)), createdAt };
}

/** Digests that a cut after `end` events may give: that of the last acknowledged commit, or of the one under way. */
export function allowedDigests(
  { events }: Recording,
  end: number,
): { last: string; underWay: string | null } {
  const markAfter = events.slice(end).find(({ kind }) => kind === 'mark');
  return {
    last: digestIn(events.slice(0, end).findLast(({ kind }) => kind === 'mark')),
    underWay: markAfter === undefined ? null : digestIn(markAfter),
  };
}

function digestIn(mark: DiskEvent | undefined): string {
  return mark?.kind !== 'mark' || mark.text === 'created' ? emptyDigest : mark.text;
}

/** A random event, often the one right after an acknowledgement, when least may be lost. */
export function randomEnd({ events }: Recording, random: Random): number {
  const anywhere = random.integer(0, events.length);
  if (random.chance(0.6)) return anywhere;
  const mark = events.findIndex(({ kind }, index) => index >= anywhere && kind === 'mark');
  return mark < 0 ? anywhere : mark + 1;
}

/** Whether `store.json` is there after `end` events: it is written after the data file is complete. */
export function hasMarker({ events, createdAt }: Recording, end: number, random: Random): boolean {
  if (end > createdAt) return true;
  const isComplete = events.slice(end, createdAt).every(({ kind }) => kind === 'mark');
  return isComplete && random.chance(0.5);
}
