import { setTimeout } from 'node:timers/promises';
import { expect } from '../support/expectations.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import type { Target } from './load/installation.ts';
import { evaluationPathOf, isOnFor, pathOf, runMixedLoad } from './load/mixed-load.ts';
import { getRequest, WireConnection } from './wire-connection.ts';
import type { WorkerStage } from './worker-stage.ts';

/** Failed authentications that one address may have within a minute. */
export const failuresMax = 80;
const failuresWindowMs = 60_000;
const failingAddress = '127.0.0.77';
const failingConnections = 4;
const mixedClients = 8;
const pauseMs = 10;

/** The load beside the evaluations. */
export interface BusyLoad {
  /** @returns when every client has its last answer. @throws on a wrong or stale answer, or a violated limit */
  stop(): Promise<void>;
  /** Evaluations that saw an acknowledged change at once. */
  readonly seen: () => number;
}

/**
 * Clients that change flags; clients that check at once whether a change shows on another connection; and one with
 * failed authentications.
 */
export function startBusyLoad(stage: WorkerStage): BusyLoad {
  const { server, random, known, changed, watched } = stage;
  let isOver = false;
  let seen = 0;
  const mixed = runMixedLoad(stage, changed, {
    port: server.port,
    random,
    acknowledgements: known,
    clients: mixedClients,
    runName: 'case',
    isOver: () => isOver,
    isPersistent: true,
  });
  const watches = watched.map((target, index) =>
    watchOwnChanges(
      stage,
      target,
      index,
      () => isOver,
      () => {
        seen += 1;
      },
    ),
  );
  const failures = failAuthentications(stage, () => isOver);
  const all = Promise.all([mixed, ...watches, failures]);
  // Awaited at the end: until then a failure must not end the run.
  all.catch(() => undefined);
  stage.teardown(() => {
    isOver = true;
  });
  return {
    stop: async () => {
      isOver = true;
      await all;
    },
    seen: () => seen,
  };
}

/** Changes a flag on one connection and evaluates it on another, which often belongs to another worker. */
async function watchOwnChanges(
  stage: WorkerStage,
  target: Target,
  index: number,
  isOver: () => boolean,
  onSeen: () => void,
): Promise<void> {
  const { server, installation, known } = stage;
  const changer = createHttpClient(stage, { port: server.port });
  const asker = createHttpClient(stage, { port: server.port });
  const headers = bearer(installation.single.secret);
  for (let turn = 1; !isOver(); turn += 1) {
    const cohort = `watch ${index}, turn ${turn}`;
    const body = { enabled: true, trafficPercentage: 0, cohorts: [cohort] };
    const request = { method: 'PATCH', path: pathOf(target), headers, body: JSON.stringify(body) };
    const answer = await changer.send(request).catch(() => null);
    const state = known.take({ kind: 'patch', target, body }, answer);
    if (state === 'unknown' || state === 'unchanged') {
      await setTimeout(pauseMs);
      continue;
    }
    for (const asked of [cohort, `watch ${index}, turn ${turn - 1}`]) {
      const evaluated = await asker.send({ path: evaluationPathOf(target, asked) }).catch(() => null);
      if (evaluated === null || evaluated.status === 503) continue;
      const { enabled } = JSON.parse(evaluated.text) as { enabled?: boolean };
      const isFresh = evaluated.status === 200 && enabled === isOnFor(state, asked);
      expect(isFresh, `a stale answer for ${asked} after ${cohort}: ${evaluated.status} ${evaluated.text}`);
      onSeen();
    }
    await setTimeout(pauseMs);
  }
}

/**
 * One address with failed authentications on several connections: as many as the limit allows are answered 401, and the
 * others 429. On a slow machine they may last longer than the limit's window, whose time passes faster in a sample.
 */
async function failAuthentications(
  { server, steady, realMs }: WorkerStage,
  isOver: () => boolean,
): Promise<void> {
  const startedAt = performance.now();
  const tally = { failed: 0, refused: 0, lost: 0 };
  const request = getRequest(pathOf(steady[0] as Target), 'burgee_of_nobody');
  const fail = async (): Promise<void> => {
    let connection: WireConnection | null = null;
    for (let turn = 0; turn < failuresMax && !isOver(); turn += 1) {
      if (connection === null || connection.isLost) {
        connection = await WireConnection.open(server.port, failingAddress).catch(() => null);
      }
      const answer = (await connection?.ask(request).catch(() => null)) ?? null;
      if (answer === null || answer.status === 503) tally.lost += 1;
      else if (answer.status === 401) tally.failed += 1;
      else if (answer.status === 429) tally.refused += 1;
      else throw new Error(`a failed authentication is answered ${answer.status} ${answer.body}`);
      await setTimeout(pauseMs);
    }
    connection?.destroy();
  };
  await Promise.all(Array.from({ length: failingConnections }, fail));
  const windows = 1 + Math.floor((performance.now() - startedAt) / realMs(failuresWindowMs));
  const { failed, refused, lost } = tally;
  const told = `${failed} failures were answered, ${refused} refused, ${lost} lost in ${windows} windows; the limit of each is ${failuresMax}`;
  expect(failed <= failuresMax * windows, told);
  // A failure whose answer was lost may have been counted.
  if (refused > 0) expect(failed + lost >= failuresMax, told);
}
