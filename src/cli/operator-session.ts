import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { createOperator, type Operator } from '../operator/operator.ts';
import { NoServer, remoteOperator } from '../operator/operator-client.ts';
import { findSocketPlace, removeSocketPlace } from '../operator/socket-place.ts';
import { type Claim, claimDirectory, claimFileOf } from '../storage/lmdb/claim.ts';
import { openStore, type Store } from '../storage/store.ts';
import { StoreError } from '../storage/store-error.ts';
import { markerFileOf, readMarker } from '../storage/store-identity.ts';
import { localCommits } from '../writer/thread/commits.ts';
import { FreeSpace } from '../writer/thread/free-space.ts';
import { localWriter, OperatorCommands } from '../writer/thread/operator-commands.ts';
import { CommandFailure } from './command-failure.ts';

/** How long to wait: a starting server holds the directory before it answers, and a short command is over soon. */
const patienceMs = 15_000;
const retryMs = 100;

export interface SessionOptions {
  /** Whether a store is created where there is none; otherwise its absence is a failure. */
  readonly mayCreate: boolean;
}

/** @param where what is written to, for a message: `the new store in /var/lib/burgee` */
type RunOperator<Result> = (operator: Operator, where: string) => Promise<Result>;

/**
 * Runs something that changes a store: through the server that holds the data directory, or, when there is none, on the
 * directory itself, which is claimed meanwhile.
 */
export async function withOperator<Result>(
  config: Config,
  options: SessionOptions,
  run: RunOperator<Result>,
): Promise<Result> {
  const directory = config.dataDir;
  if (!options.mayCreate) requireStore(directory);
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const claim = tryClaim(directory);
    if (!(claim instanceof StoreError)) return await runOffline(config, claim, run);
    try {
      return await runOnline(directory, run);
    } catch (fault) {
      if (!(fault instanceof NoServer)) throw fault;
      if (Date.now() > deadline) throw heldButSilent(claim, fault);
    }
    await wait(retryMs);
  }
}

function requireStore(directory: string): void {
  if (existsSync(markerFileOf(directory))) return;
  throw new CommandFailure(
    `There is no store in ${resolve(directory)}. Name the right directory with --data-dir.`,
  );
}

/** A store that is created here would never reach the configured cluster. An existing store records whether it is a replica. */
function requireStoreBeside(directory: string): void {
  if (existsSync(markerFileOf(directory))) return;
  throw new CommandFailure(
    `BURGEE_CLUSTER_URL names a cluster, and no node of it is served from ${directory}. Name the data directory of a node that ` +
      'runs; or unset BURGEE_CLUSTER_URL to make a store of its own.',
  );
}

function tryClaim(directory: string): Claim | StoreError {
  try {
    return claimDirectory(directory);
  } catch (fault) {
    // If there is a claim file, another process holds it; otherwise the directory cannot be used at all.
    if (fault instanceof StoreError && existsSync(claimFileOf(directory))) return fault;
    throw fault;
  }
}

function heldButSilent(held: StoreError, silence: NoServer): CommandFailure {
  return new CommandFailure(held.message, [`Its socket does not answer: ${silence.message}`]);
}

async function runOnline<Result>(directory: string, run: RunOperator<Result>): Promise<Result> {
  const marker = readMarker(directory);
  if (marker === null) throw new NoServer('the store is not created yet');
  const operator = remoteOperator(findSocketPlace(directory), marker.id);
  return await run(operator, `the running server of ${resolve(directory)}`);
}

async function runOffline<Result>(config: Config, claim: Claim, run: RunOperator<Result>): Promise<Result> {
  const { dataDir: directory, mapBytes } = config;
  const kind = existsSync(markerFileOf(directory)) ? 'the store' : 'the new store';
  try {
    if (config.clusterUrl !== null) requireStoreBeside(directory);
    removeSocketPlace(directory);
    const store = openStore({ directory, mapBytes });
    try {
      return await run(operatorOn(store, config), `${kind} in ${resolve(directory)}`);
    } finally {
      await store.close();
    }
  } finally {
    claim.release();
  }
}

/** The operator's actions on a store that this process has opened. */
export function operatorOn(
  store: Store,
  { dataDir, tokenPrefix, baseUrl }: Pick<Config, 'dataDir' | 'tokenPrefix' | 'baseUrl'>,
): Operator {
  const commands = new OperatorCommands({
    commits: localCommits(store),
    freeSpace: new FreeSpace(dataDir, 0),
    baseUrl,
  });
  return createOperator({ callWriter: localWriter(commands), tokenPrefix });
}
