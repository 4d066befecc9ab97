import { fileURLToPath } from 'node:url';
import { runLoadProgram } from '../load/load-program.ts';
import type { ChangeableFlag } from './changing-flag.ts';
import type { PatchFigures } from './patch-figures.ts';

/** Writers that each patch their own flag and wait for every answer. */
export interface WritersLoad {
  /** The servers that the writers are spread over. */
  readonly origins: readonly string[];
  /** One for each writer. */
  readonly flags: readonly ChangeableFlag[];
  readonly seconds: number;
}

/** Patches to a store without a server. */
export interface StoreLoad {
  /** A provisioned store that no server has open. */
  readonly dataDir: string;
  readonly flags: readonly ChangeableFlag[];
  /** Number of changes that wait at any time. */
  readonly waiting: number;
  readonly seconds: number;
}

/** Commits to a PostgreSQL without a server. */
export interface PostgresLoad {
  /** The database of a cluster that has made a change, whose rows are the pattern. */
  readonly clusterUrl: string;
  readonly seconds: number;
}

/** Writes a new file in this directory and waits for the disk. */
export interface SyncLoad {
  readonly directory: string;
  readonly seconds: number;
}

const programs = {
  writers: new URL('./writers-process.js', import.meta.url),
  oneByOne: new URL('./one-by-one-process.js', import.meta.url),
  bareCommits: new URL('./bare-commit-process.js', import.meta.url),
  postgresCommits: new URL('./postgres-commit-process.js', import.meta.url),
  syncs: new URL('./sync-process.js', import.meta.url),
};

function run(program: URL, load: unknown): Promise<PatchFigures> {
  return runLoadProgram(fileURLToPath(program), load);
}

/** @throws when a patch is refused or changes nothing */
export function runWriters(load: WritersLoad): Promise<PatchFigures> {
  return run(programs.writers, load);
}

/** Decides and stores each change as Burgee does, but each in its own transaction. */
export function runOneByOne(load: StoreLoad): Promise<PatchFigures> {
  return run(programs.oneByOne, load);
}

/** Only commits: as many bytes to the same tables as a patch stores. The store is unusable afterwards. */
export function runBareCommits(load: StoreLoad): Promise<PatchFigures> {
  return run(programs.bareCommits, load);
}

/** Only commits to PostgreSQL: as many bytes in as many rows as a patch stores there, one commit after another. */
export function runPostgresCommits(load: PostgresLoad): Promise<PatchFigures> {
  return run(programs.postgresCommits, load);
}

/** Writes a page to a file and waits for the disk: the least that a durable change can cost. */
export function runSyncs(load: SyncLoad): Promise<PatchFigures> {
  return run(programs.syncs, load);
}
