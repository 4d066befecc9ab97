import { diskFolder } from '../changes/disk-folder.ts';
import { findFreePorts } from '../peers/binaries/free-ports.ts';
import { ensurePostgres } from '../peers/find-postgres.ts';
import { startAdapter } from '../peers/start-adapter.ts';
import { type BenchDirectory, makeDirectory } from './bench-directory.ts';
import { mainProgram, ownEnvironment } from './programs.ts';
import { runProgram } from './run-program.ts';
import type { ServerProcess } from './server-process.ts';
import { serveDirectory } from './start-burgee.ts';

/** A PostgreSQL on this machine with a cluster in it, and the directories of its nodes. */
export interface BenchCluster {
  readonly url: string;
  /** Starts a node in its own directory. @param args more arguments of `serve` */
  startNode(args?: readonly string[], directory?: BenchDirectory): Promise<ServerProcess>;
  /** An empty directory for a node. */
  makeEmpty(): Promise<BenchDirectory>;
  /** Stops PostgreSQL, and removes all directories. No node may be running. */
  stop(): Promise<void>;
}

/**
 * Makes a cluster of a directory's store.
 * @param awayMs delay of each byte between PostgreSQL and its clients; 0: none
 * @throws Error that says what to do, when there is no PostgreSQL and none can be installed
 */
export async function startCluster(
  { dataDir }: Pick<BenchDirectory, 'dataDir'>,
  note: (text: string) => void,
  awayMs = 0,
): Promise<BenchCluster> {
  const programs = await ensurePostgres(note);
  const [port] = await findFreePorts(1);
  const postgres = await startAdapter('postgres', [programs, 'burgee', diskFolder(), String(port)]);
  const distance =
    awayMs === 0
      ? null
      : await startAdapter<{ port: number }>('distance', [String(port), String(awayMs)]).catch(
          async (fault: unknown) => {
            await postgres.stop();
            throw fault;
          },
        );
  const url = `postgres://burgee@127.0.0.1:${distance?.facts.port ?? port}/postgres`;
  const made: BenchDirectory[] = [];
  const makeEmpty = async (): Promise<BenchDirectory> => {
    const directory = await makeDirectory([], diskFolder());
    made.push(directory);
    return directory;
  };
  const stop = async (): Promise<void> => {
    await distance?.stop();
    await postgres.stop();
    for (const directory of made) directory.remove();
  };
  try {
    const words = ['cluster', 'create', '--cluster-url', url, '--data-dir', dataDir];
    await runProgram(mainProgram, words, { env: ownEnvironment() });
  } catch (fault) {
    await stop();
    throw fault;
  }
  return {
    url,
    startNode: async (args = [], directory) =>
      serveDirectory(directory ?? (await makeEmpty()), { args: ['--cluster-url', url, ...args] }),
    makeEmpty,
    stop,
  };
}
