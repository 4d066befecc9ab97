import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterStage } from './cluster-stage.ts';
import type { Play } from './nemesis.ts';

/** Faults of PostgreSQL's processes that are played at once come one after the other: each leaves it running. */
const ofPostgres = new WeakMap<ClusterStage, Promise<void>>();

export function inTurn(play: Play): Play {
  return (nemesis) => {
    const before = ofPostgres.get(nemesis.stage) ?? Promise.resolve();
    const own = before.then(() => play(nemesis));
    ofPostgres.set(
      nemesis.stage,
      own.catch(() => undefined),
    );
    return own;
  };
}

const killPostgres: Play = async ({ stage, random }) => {
  await stage.postgres.killHard();
  await pause(random.integer(0, 3000));
  await stage.postgres.start();
};

const stopPostgres: Play = async ({ stage, random, standstillMs }) => {
  const pids = [stage.postgres.pid, ...childrenOf(stage.postgres.pid)];
  for (const pid of pids) signal(pid, 'SIGSTOP');
  await pause(random.integer(standstillMs.min, standstillMs.max));
  for (const pid of pids) signal(pid, 'SIGCONT');
};

/** The postmaster ends all others then, and recovers. */
const killBackend: Play = async ({ stage, random }) => {
  // Another fault may have taken PostgreSQL away.
  const rows = await stage
    .ask<{ pid: number }>("select pid from pg_stat_activity where application_name like 'burgee %'")
    .catch(() => []);
  if (rows.length > 0) signal(random.pick(rows).pid, 'SIGKILL');
  await pause(500);
};

/** Nobody is let in any more; who is connected goes on. */
const stopPostmaster: Play = async ({ stage, random, standstillMs }) => {
  const { pid } = stage.postgres;
  signal(pid, 'SIGSTOP');
  await pause(random.integer(standstillMs.min, standstillMs.max));
  signal(pid, 'SIGCONT');
};

interface Backend {
  readonly pid: number;
  /** It has the lock of the head, or waits for it. */
  readonly commits: boolean;
}

const backends = `select a.pid, exists (
    select from pg_locks l where l.pid = a.pid and l.granted and l.mode = 'RowExclusiveLock'
      and l.relation = to_regclass('burgee.head')
  ) as commits from pg_stat_activity a where a.application_name like 'burgee %'`;
const stopsMax = 80;
const lookMsMax = 1000;

/** @returns those of nodes; none where PostgreSQL is away */
function lookAtBackends(stage: ClusterStage): Promise<Backend[]> {
  return stage.ask<Backend>(backends).catch(() => []);
}

/**
 * Mostly of one that commits: others wait for its lock, and its node does not learn the outcome, which comes when everybody has
 * given it up. No time-out of PostgreSQL ends a process that stands still.
 */
const stopBackend: Play = async ({ stage, random, standstillMs }) => {
  const wantsCommit = random.chance(0.75);
  const known = new Set<number>();
  for (let stops = 1; ; stops += 1) {
    const rows = await lookAtBackends(stage);
    for (const { pid, commits } of rows) if (commits) known.add(pid);
    const committers = rows.filter(({ pid }) => known.has(pid));
    if (rows.length === 0) return;
    const { pid } = random.pick(wantsCommit && committers.length > 0 ? committers : rows);
    signal(pid, 'SIGSTOP');
    const isCaught = !wantsCommit || stops === stopsMax || (await isCommitting(stage, pid));
    if (isCaught) await pause(random.integer(standstillMs.min, standstillMs.max));
    signal(pid, 'SIGCONT');
    if (isCaught) return;
  }
};

/** PostgreSQL does not answer while a process stands still that has a lock of its memory: that of the log's files, say. */
async function isCommitting(stage: ClusterStage, backend: number): Promise<boolean> {
  const rows = await Promise.race([lookAtBackends(stage), pause(lookMsMax, null)]);
  return rows === null || rows.some(({ pid, commits }) => pid === backend && commits);
}

const restartPostgres: Play = async ({ stage }) => {
  await stage.postgres.stop('SIGINT');
  await stage.postgres.start();
};

/** Nothing that was confirmed is lost: the standby has all of it. The server of before stays away. */
const promoteStandby: Play = async ({ stage, random }) => {
  const { postgres, standby } = stage;
  if (standby === null) return;
  stage.standby = null;
  await postgres.killHard();
  await pause(random.integer(0, 1000));
  await standby.promote();
  stage.postgres = standby;
};

/** Faults of PostgreSQL's processes. */
export const postgresNemeses: Readonly<Record<string, Play>> = {
  'kill -9 of PostgreSQL': inTurn(killPostgres),
  'SIGSTOP of PostgreSQL': inTurn(stopPostgres),
  'kill -9 of a backend': killBackend,
  'restart of PostgreSQL': inTurn(restartPostgres),
  'promotion of the standby': inTurn(promoteStandby),
  'SIGSTOP of the postmaster': inTurn(stopPostmaster),
  'SIGSTOP of a backend': stopBackend,
};

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text.split(' ').filter(Boolean).map(Number);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
