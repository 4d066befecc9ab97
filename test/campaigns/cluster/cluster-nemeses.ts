import { setTimeout as pause } from 'node:timers/promises';
import type { LinkState } from '../../cluster/support/link-proxy.ts';
import { type BootedServer, startServer } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import type { TamperedServer } from '../../support/tampering/tampered-server.ts';
import type { NodePlace } from './cluster-stage.ts';
import type { Nemesis, Play } from './nemesis.ts';
import { postgresNemeses } from './postgres-nemeses.ts';

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
  await trimLog(nemesis);
  await nemesis.stage.start(place);
};

/** The process goes on as it was, and its next row is gone: without a new start it takes over the state. */
const trimUnderStanding: Play = async (nemesis) => {
  if (!mayLose(nemesis)) return;
  const place = running(nemesis);
  const { server } = place;
  place.isSilent = true;
  server?.signal('SIGSTOP');
  // Sometimes its lease still holds then, and changes wait for it.
  await pause(nemesis.random.integer(500, 5000));
  await trimLog(nemesis);
  await pause(nemesis.random.integer(0, 2000));
  server?.signal('SIGCONT');
  await pause(50);
  place.isSilent = false;
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
