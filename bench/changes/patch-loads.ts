import { fileURLToPath } from 'node:url';
import { runLoadProgram } from '../load/load-program.ts';
import type { ChangeableFlag } from './changing-flag.ts';
import type { PatchFigures } from './patch-figures.ts';

/** Writers that each patch a flag of their own, waiting for every answer. */
export interface WritersLoad {
  readonly origin: string;
  /** One a writer. */
  readonly flags: readonly ChangeableFlag[];
  readonly seconds: number;
}

/** What a patch does to a store, without any server. */
export interface StoreLoad {
  /** Provisioned, and served by nobody. */
  readonly dataDir: string;
  readonly flags: readonly ChangeableFlag[];
  /** Changes that wait at any time. */
  readonly waiting: number;
  readonly seconds: number;
}

/** Writes to a new file of this directory that wait for the disk. */
export interface SyncLoad {
  readonly directory: string;
  readonly seconds: number;
}

const programs = {
  writers: new URL('./writers-process.js', import.meta.url),
  oneByOne: new URL('./one-by-one-process.js', import.meta.url),
  bareCommits: new URL('./bare-commit-process.js', import.meta.url),
  syncs: new URL('./sync-process.js', import.meta.url),
};

function run(program: URL, load: unknown): Promise<PatchFigures> {
  return runLoadProgram(fileURLToPath(program), load);
}

/** @throws when a patch is refused or changes nothing */
export function runWriters(load: WritersLoad): Promise<PatchFigures> {
  return run(programs.writers, load);
}

/** Decides and stores each change as the product does, but in a transaction of its own. */
export function runOneByOne(load: StoreLoad): Promise<PatchFigures> {
  return run(programs.oneByOne, load);
}

/** Commits as many bytes to the same tables as a patch stores, and nothing else. The store is a ruin afterwards. */
export function runBareCommits(load: StoreLoad): Promise<PatchFigures> {
  return run(programs.bareCommits, load);
}

/** Appends a page to a file and waits for the disk: what any durable change costs at least. */
export function runSyncs(load: SyncLoad): Promise<PatchFigures> {
  return run(programs.syncs, load);
}
