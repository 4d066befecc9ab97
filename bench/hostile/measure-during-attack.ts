import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Crowd, openCrowd } from '../../test/robustness/crowd.ts';
import { withLifetime } from '../../test/support/lifetime.ts';
import { readAnonymousBytes } from '../measure/anonymous-memory.ts';
import type { Measurement } from '../scenario.ts';
import { type BenchDirectory, copyDirectory } from '../servers/bench-directory.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import { serveDirectory } from '../servers/start-burgee.ts';
import { withServers } from '../servers/with-servers.ts';
import { workerArguments } from '../servers/worker-arguments.ts';
import { type Attack, type AttackSizes, hostileProject } from './attacks.ts';
import { QuietTenant } from './quiet-tenant.ts';

interface AttackedServer {
  readonly attack: Attack;
  readonly sizes: AttackSizes;
  readonly directory: BenchDirectory;
  /** Burgee's program. */
  readonly program: string;
  /** Whether the attack runs. */
  readonly isAttacked: boolean;
  readonly seconds: number;
}

/** Not the quiet tenant's address, because limits are per address. */
const hostileAddress = '127.0.0.9';
const workers = 2;
const evaluationPauseMs = 5;
const readPauseMs = 50;
const sampleMs = 20;
const bytesOfMb = 1_000_000;

function bytesIn(dataDir: string): number {
  return readdirSync(dataDir).reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
}

/** Samples a process's memory. @returns a function that stops, and returns by how many bytes the memory grew at most */
function watchMemory(pid: number): () => number {
  const before = readAnonymousBytes(pid);
  let most = before;
  const timer = setInterval(() => {
    try {
      most = Math.max(most, readAnonymousBytes(pid));
    } catch {
      // The process has ended. Its missing answers fail the scenario.
    }
  }, sampleMs);
  return () => {
    clearInterval(timer);
    return most - before;
  };
}

async function attackAndMeasure(
  { attack, sizes, directory, isAttacked, seconds }: AttackedServer,
  server: ServerProcess,
  quiet: QuietTenant,
  crowd: Crowd,
): Promise<Measurement> {
  // Warms up: the first answers of a process are slower.
  await quiet.read(readPauseMs, performance.now() + 1);
  await quiet.evaluate(evaluationPauseMs, performance.now() + 500);
  const grown = watchMemory(server.pid);
  const bytesBefore = bytesIn(directory.dataDir);
  const project = directory.provisioned.projects[hostileProject];
  if (isAttacked) crowd.begin(attack.clients, attack.requests(sizes, project), attack.isReading);
  const until = performance.now() + seconds * 1000;
  const [evaluations, readings] = await Promise.all([
    quiet.evaluate(evaluationPauseMs, until),
    quiet.read(readPauseMs, until),
  ]);
  const taken = isAttacked ? await crowd.end() : {};
  return {
    evaluationsAnswered: evaluations.answeredPercent,
    p50Ms: evaluations.percentileMs(0.5),
    p99Ms: evaluations.percentileMs(0.99),
    slowestMs: evaluations.percentileMs(1),
    listsAnswered: readings.answeredPercent,
    grownMb: grown() / bytesOfMb,
    ...(attack.isWriting
      ? { changes: taken[200] ?? 0, storedMb: (bytesIn(directory.dataDir) - bytesBefore) / bytesOfMb }
      : {}),
  };
}

/**
 * Serves a copy of the directory, attacks it or not, and measures what another tenant notices: evaluations and reads that
 * are answered with 200, how long evaluations take, and by how much the process grows.
 */
export function measureDuringAttack(attacked: AttackedServer): Promise<Measurement> {
  const { attack, program } = attacked;
  return withLifetime(async (lifetime) => {
    const directory = copyDirectory(attacked.directory);
    lifetime.teardown(() => directory.remove());
    return await withServers(async (keep) => {
      const args = [...workerArguments(workers), ...attack.args];
      const server = await keep(serveDirectory(directory, { program, args }));
      const port = Number(new URL(server.origin).port);
      const quiet = await QuietTenant.signIn(lifetime, port, directory.provisioned);
      const crowd = openCrowd(lifetime, port, hostileAddress);
      return await attackAndMeasure({ ...attacked, directory }, server, quiet, crowd);
    });
  });
}
