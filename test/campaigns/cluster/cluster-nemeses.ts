import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { LinkState } from '../../cluster/support/link-proxy.ts';
import { type BootedServer, startServer } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';
import type { TamperedServer } from '../../support/tampering/tampered-server.ts';
import type { ClusterStage, NodePlace } from './cluster-stage.ts';

export interface Nemesis {
  readonly t: Lifetime;
  readonly stage: ClusterStage;
  /** There is one more place of a node. */
  onNewPlace(): void;
  readonly random: Random;
  /** How long a process stands still, in milliseconds. */
  readonly standstillMs: { readonly min: number; readonly max: number };
}

type Play = (nemesis: Nemesis) => Promise<void>;

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

const killNode: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  const place = running(nemesis);
  const { server } = place;
  place.isSilent = true;
  place.server = null;
  server?.signal('SIGKILL');
  await server?.ended;
  await pause(nemesis.random.integer(0, 4000));
  await nemesis.stage.start(place);
};

const restartNode: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  const place = running(nemesis);
  const { server } = place;
  place.isSilent = true;
  place.server = null;
  await server?.stop();
  await nemesis.stage.start(place);
};

const stopNode: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  const place = running(nemesis);
  place.isSilent = true;
  place.server?.signal('SIGSTOP');
  await pause(nemesis.random.integer(nemesis.standstillMs.min, nemesis.standstillMs.max));
  place.server?.signal('SIGCONT');
  await pause(50);
  place.isSilent = false;
};

/** Faults of PostgreSQL's processes that are played at once come one after the other: each leaves it running. */
const ofPostgres = new WeakMap<ClusterStage, Promise<void>>();

function inTurn(play: Play): Play {
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

const restartPostgres: Play = async ({ stage }) => {
  await stage.postgres.stop('SIGINT');
  await stage.postgres.start();
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
  const { server } = place;
  place.isSilent = true;
  place.server = null;
  server?.signal('SIGKILL');
  await server?.ended;
  await pause(1500);
  const trimmed = nemesis.stage.ask(
    `with h as (update burgee.head set kept_from = position returning kept_from)
     delete from burgee.log using h where log.position < h.kept_from`,
  );
  await trimmed.catch(() => undefined);
  await nemesis.stage.start(place);
};

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

export const nemeses: Readonly<Record<string, Play>> = {
  'kill -9 of a node': killNode,
  'restart of a node': restartNode,
  'SIGSTOP of a node': stopNode,
  'kill -9 of PostgreSQL': inTurn(killPostgres),
  'SIGSTOP of PostgreSQL': inTurn(stopPostgres),
  'kill -9 of a backend': killBackend,
  'restart of PostgreSQL': inTurn(restartPostgres),
  'a stalled link': linkFault('stalled'),
  'a link without requests': linkFault('no-requests'),
  'a link without answers': linkFault('no-answers'),
  'a cut link': linkFault('cut'),
  'a slow link': delayLink,
  'reset connections': resetLinks,
  'a new node': joinNode,
  'a trimmed log': trimUnderStopped,
  'promotion of the standby': inTurn(promoteStandby),
  'a clock an hour off': moveClock,
  'a second process on a directory': shareDirectory,
  'a full disk': fillDisk,
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
