import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Crowd, openCrowd } from '../../test/robustness/crowd.ts';
import { withLifetime } from '../../test/support/lifetime.ts';
import { KeptConnection } from '../changes/kept-connection.ts';
import { readAnonymousBytes } from '../measure/anonymous-memory.ts';
import { percentile } from '../measure/percentile.ts';
import type { Measurement } from '../scenario.ts';
import { type BenchDirectory, copyDirectory } from '../servers/bench-directory.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import { serveDirectory } from '../servers/start-burgee.ts';
import { withServers } from '../servers/with-servers.ts';
import { workerArguments } from '../servers/worker-arguments.ts';
import { type Attack, type AttackSizes, hostileProject, quietRequests } from './attacks.ts';

/** What is measured, and for how long. */
interface Besieged {
  readonly attack: Attack;
  readonly sizes: AttackSizes;
  readonly directory: BenchDirectory;
  /** Burgee's program. */
  readonly program: string;
  /** Whether the attack takes place. */
  readonly isAttacked: boolean;
  readonly seconds: number;
}

/** Another address than the quiet tenant's, because limits are per address. */
const hostileAddress = '127.0.0.9';
const workers = 2;
/** A client that waits longer for an evaluation has given up. */
const answerMaxMs = 5000;
const evaluationPauseMs = 5;
const listPauseMs = 50;
const sampleMs = 20;
const bytesOfMb = 1_000_000;

/** Requests of one kind, and what became of them. */
interface Asked {
  readonly durationsMs: number[];
  answered: number;
}

/** Sends a request again and again, with a pause between, until the time is over. */
async function ask(origin: string, request: Buffer, pauseMs: number, until: number): Promise<Asked> {
  const asked: Asked = { durationsMs: [], answered: 0 };
  let connection: KeptConnection | null = null;
  while (performance.now() < until) {
    const startedAt = performance.now();
    const status = await askOnce(origin, connection, request);
    asked.durationsMs.push(performance.now() - startedAt);
    if (status.code === 200) asked.answered += 1;
    connection = status.connection;
    await setTimeout(pauseMs);
  }
  connection?.close();
  return asked;
}

/** @returns the answer's status; 0 without one */
async function askOnce(
  origin: string,
  kept: KeptConnection | null,
  request: Buffer,
): Promise<{ readonly code: number; readonly connection: KeptConnection | null }> {
  const given = new AbortController();
  const late = setTimeout(answerMaxMs, null, { signal: given.signal }).catch(() => null);
  const opened: { connection: KeptConnection | null } = { connection: kept };
  const answer = async (): Promise<number> => {
    opened.connection ??= await KeptConnection.open(origin);
    return (await opened.connection.ask(request)).status;
  };
  const code = await Promise.race([answer().catch(() => 0), late.then(() => 0)]);
  given.abort();
  if (code > 0) return { code, connection: opened.connection };
  opened.connection?.close();
  return { code, connection: null };
}

function bytesIn(dataDir: string): number {
  return readdirSync(dataDir).reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
}

/** Samples a process's memory. @returns what ends it and tells by how many bytes the memory grew at most */
function watchMemory(pid: number): () => number {
  const before = readAnonymousBytes(pid);
  let most = before;
  const timer = setInterval(() => {
    try {
      most = Math.max(most, readAnonymousBytes(pid));
    } catch {
      // The process has ended: the answers tell.
    }
  }, sampleMs);
  return () => {
    clearInterval(timer);
    return most - before;
  };
}

async function besiege(
  { attack, sizes, directory, isAttacked, seconds }: Besieged,
  server: ServerProcess,
  crowd: Crowd,
): Promise<Measurement> {
  const { evaluation, list } = quietRequests(directory.provisioned);
  // The first answers of a process are slower.
  await ask(server.origin, list, listPauseMs, performance.now() + 1);
  await ask(server.origin, evaluation, evaluationPauseMs, performance.now() + 500);
  const grown = watchMemory(server.pid);
  const bytesBefore = bytesIn(directory.dataDir);
  const project = directory.provisioned.projects[hostileProject];
  if (isAttacked) crowd.begin(attack.clients, attack.requests(sizes, project), attack.isReading);
  const until = performance.now() + seconds * 1000;
  const [evaluations, lists] = await Promise.all([
    ask(server.origin, evaluation, evaluationPauseMs, until),
    ask(server.origin, list, listPauseMs, until),
  ]);
  const taken = isAttacked ? await crowd.end() : {};
  const shareOf = ({ answered, durationsMs }: Asked): number => (100 * answered) / durationsMs.length;
  return {
    evaluationsAnswered: shareOf(evaluations),
    p50Ms: percentile(evaluations.durationsMs, 0.5),
    p99Ms: percentile(evaluations.durationsMs, 0.99),
    slowestMs: Math.max(...evaluations.durationsMs),
    listsAnswered: shareOf(lists),
    grownMb: grown() / bytesOfMb,
    ...(attack.isWriting
      ? { changes: taken[200] ?? 0, storedMb: (bytesIn(directory.dataDir) - bytesBefore) / bytesOfMb }
      : {}),
  };
}

/**
 * Serves a copy of the directory, attacks it or not, and measures what another tenant meets meanwhile: evaluations and
 * lists that are answered with 200, how long evaluations take, and by how much the process grows.
 */
export function measureBeside(besieged: Besieged): Promise<Measurement> {
  const { attack, program } = besieged;
  return withLifetime(async (lifetime) => {
    const directory = copyDirectory(besieged.directory);
    lifetime.teardown(() => directory.remove());
    return await withServers(async (keep) => {
      const args = [...workerArguments(workers), ...attack.args];
      const server = await keep(serveDirectory(directory, { program, args }));
      const crowd = openCrowd(lifetime, Number(new URL(server.origin).port), hostileAddress);
      return await besiege({ ...besieged, directory }, server, crowd);
    });
  });
}
