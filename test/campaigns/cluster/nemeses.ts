import { readFileSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { LinkState } from '../../cluster/support/link-proxy.ts';
import { type BootedServer, startServer } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import type { TamperedServer } from '../../support/tampering/tampered-server.ts';
import type { ClusterLoad } from './cluster-load.ts';
import type { ClusterStage, NodePlace } from './cluster-stage.ts';

interface Nemesis {
  readonly t: Lifetime;
  readonly stage: ClusterStage;
  /** There is one more place of a node. */
  onNewPlace(): void;
  readonly random: Random;
  /** How long a process stands still, in milliseconds. */
  readonly standstillMs: { readonly min: number; readonly max: number };
}

/** A fault, from its beginning to the end of what the test does to the cluster. */
export type Play = (nemesis: Nemesis) => Promise<void>;

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
const postgresNemeses: Readonly<Record<string, Play>> = {
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

/** A creation is answered within a client's limit. */
const heldMsMax = 60_000;

/**
 * Restores PostgreSQL to an earlier moment while clients change flags, and go on to do so: the nodes' rows and the new ones have
 * the same positions then, and another content. What was acknowledged before the copy was made is kept, what was afterwards is
 * lost by declaration, and all that is acknowledged after the restore counts again.
 */
export async function restoreUnderLoad({ stage, random }: Nemesis, load: ClusterLoad): Promise<void> {
  const { postgres } = stage;
  // A standby would go on from what it has.
  if (stage.standby !== null) return;
  await load.hold(heldMsMax);
  await postgres.stop();
  load.keep();
  const copy = `${postgres.directory}-earlier`;
  await postgres.copyTo(copy);
  await postgres.start();
  await pause(random.integer(500, 5000));
  await postgres.killHard();
  load.loseHistory();
  rmSync(postgres.directory, { recursive: true });
  renameSync(copy, postgres.directory);
  // Sometimes nodes have lost their leases by then.
  await pause(random.integer(0, 4000));
  await postgres.start();
}

const hourMs = 3_600_000;
const refusedMsMax = 30_000;

function candidates({ stage }: Nemesis): NodePlace[] {
  return stage.places.filter(({ server, isSilent, isTaken }) => server !== null && !isSilent && !isTaken);
}

function running(nemesis: Nemesis): NodePlace {
  return nemesis.random.pick(candidates(nemesis));
}

/** At least one node stays, for changes and for the next fault. */
function mayLose(nemesis: Nemesis): boolean {
  return candidates(nemesis).length > 1;
}

/** Ends the process of a node. What the node says does not count until it is started again. */
async function takeDown(place: NodePlace, end: (server: BootedServer) => Promise<unknown>): Promise<void> {
  const { server } = place;
  place.isSilent = true;
  place.server = null;
  if (server !== null) await end(server);
}

async function kill(server: BootedServer): Promise<void> {
  server.signal('SIGKILL');
  await server.ended;
}

/** The process of a node stands still meanwhile. What the node says does not count until it has gone on for a moment. */
async function whileStopped(place: NodePlace, meanwhile: () => Promise<unknown>): Promise<void> {
  const { server } = place;
  place.isSilent = true;
  server?.signal('SIGSTOP');
  await meanwhile();
  server?.signal('SIGCONT');
  await pause(50);
  place.isSilent = false;
}

const killNode: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  const place = running(nemesis);
  await takeDown(place, kill);
  await pause(nemesis.random.integer(0, 4000));
  await nemesis.stage.start(place);
};

const restartNode: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  const place = running(nemesis);
  await takeDown(place, (server) => server.stop());
  await nemesis.stage.start(place);
};

const stopNode: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  await whileStopped(running(nemesis), () =>
    pause(nemesis.random.integer(nemesis.standstillMs.min, nemesis.standstillMs.max)),
  );
};

function linkFault(state: LinkState): Play {
  return async (nemesis) => {
    const { link } = running(nemesis);
    link.state = state;
    await pause(nemesis.random.integer(200, 7000));
    link.state = 'open';
  };
}

const delayLink: Play = async (nemesis) => {
  const { link } = running(nemesis);
  link.delayMs = nemesis.random.integer(5, 400);
  await pause(nemesis.random.integer(1000, 5000));
  link.delayMs = 0;
};

const resetLinks: Play = async (nemesis) => {
  for (let count = nemesis.random.integer(1, 5); count > 0; count -= 1) {
    running(nemesis).link.reset();
    await pause(nemesis.random.integer(0, 600));
  }
};

const joinNode: Play = async ({ stage, onNewPlace }) => {
  if (stage.places.length >= 5) return;
  const place = await stage.addPlace();
  await stage.start(place);
  onNewPlace();
};

/** It finds its rows gone when it comes back, and takes over the state. */
const trimUnderStopped: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  const place = running(nemesis);
  await takeDown(place, kill);
  await pause(1500);
  await trimLog(nemesis);
  await nemesis.stage.start(place);
};

/** The process goes on as it was, and its next row is gone: without a new start it takes over the state. */
const trimUnderStanding: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  await whileStopped(running(nemesis), async () => {
    // Sometimes its lease still holds then, and changes wait for it.
    await pause(nemesis.random.integer(500, 5000));
    await trimLog(nemesis);
    await pause(nemesis.random.integer(0, 2000));
  });
};

/** No row is left, however far nodes are. */
async function trimLog({ stage }: Nemesis): Promise<void> {
  const trimmed = stage.ask(
    `with h as (update burgee.head set kept_from = position returning kept_from)
     delete from burgee.log using h where log.position < h.kept_from`,
  );
  // Another fault may have taken PostgreSQL away.
  await trimmed.catch(() => undefined);
}

/** A second process on a directory that a node serves is refused. */
const shareDirectory: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  const place = running(nemesis);
  place.isTaken = true;
  try {
    const url = `postgres://burgee@127.0.0.1:${nemesis.stage.postgres.port}/postgres`;
    const settings = { BURGEE_CLUSTER_URL: url };
    const second = startServer(nemesis.t, { dataDir: place.dataDir, settings });
    const end = await Promise.race([second.ended, pause(refusedMsMax, 'still running')]);
    second.signal('SIGKILL');
    expect(typeof end === 'number' && end !== 0, `a second node on one directory is refused: ${end}`);
  } finally {
    place.isTaken = false;
  }
};

/** Its replica cannot follow. It evaluates on, says that it is detached, and follows again once there is space. */
const fillDisk: Play = async ({ stage, random }) => {
  const place = stage.places.find(({ disk }) => disk !== null);
  if (place === undefined) return;
  await place.disk?.fill(0);
  await pause(random.integer(1000, 8000));
  place.disk?.free();
};

/** The clock of one node, of which leases must not depend. */
const moveClock: Play = async ({ stage, random }) => {
  for (const { server } of stage.places) {
    if (server === null || !isTampered(server)) continue;
    await server.setWallClock(random.pick([-1, 1]) * hourMs).catch(() => undefined);
    await pause(random.integer(500, 3000));
    await server.setWallClock(0).catch(() => undefined);
  }
};

function isTampered(server: BootedServer): server is TamperedServer {
  return 'setWallClock' in server;
}

/** By their names, in an order that seeds depend on. */
export const nemeses: Readonly<Record<string, Play>> = {
  'kill -9 of a node': killNode,
  'restart of a node': restartNode,
  'SIGSTOP of a node': stopNode,
  'a stalled link': linkFault('stalled'),
  'a link without requests': linkFault('no-requests'),
  'a link without answers': linkFault('no-answers'),
  'a cut link': linkFault('cut'),
  'a slow link': delayLink,
  'reset connections': resetLinks,
  'a new node': joinNode,
  'a trimmed log': trimUnderStopped,
  'a clock an hour off': moveClock,
  'a second process on a directory': shareDirectory,
  'a full disk': fillDisk,
  'a log that is trimmed under a SIGSTOP': trimUnderStanding,
  ...postgresNemeses,
};
