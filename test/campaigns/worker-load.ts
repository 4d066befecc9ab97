import { setTimeout } from 'node:timers/promises';
import type { AdminClient } from '../admin/admin-fixture.ts';
import { expect } from '../support/expectations.ts';
import type { Lifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { TamperedServer } from '../support/tampering/tampered-server.ts';
import type { Installation, Target } from './load/installation.ts';
import { pathOf } from './load/mixed-load.ts';
import type { Site } from './load/site.ts';
import type { SteadyLoad } from './steady-load.ts';
import { getRequest, WireConnection } from './wire-connection.ts';

/** A server under a load of evaluations, for the cases of the campaign. */
export interface WorkerStage extends Lifetime {
  readonly random: Random;
  readonly site: Site;
  /** The flags that the mixed load changes. */
  readonly changed: Installation;
  /** Flags that stay off. */
  readonly steady: readonly Target[];
  readonly server: TamperedServer;
  readonly admin: AdminClient;
  readonly load: SteadyLoad;
  readonly workers: number;
  /** The number of the load's clients. */
  readonly connections: number;
  /** @returns the real ms in which the server's clock advances by `serverMs` */
  realMs(serverMs: number): number;
  readonly requestDeadlineMs: number;
  /** How much later than promised an answer may come in this run. */
  readonly slackMs: number;
}

/** Failed authentications that one address may have within a minute. */
export const failuresMax = 80;
const failuresWindowMs = 60_000;
const failingAddress = '127.0.0.77';
const failingConnections = 4;
const mixedClients = 12;
const pauseMs = 10;

/** The load of changes and reads, next to that of evaluations. */
export interface BusyLoad {
  /** @returns when every client has its last answer. @throws on a wrong answer, or a violated limit */
  stop(): Promise<void>;
  /** Answers with success. */
  readonly seen: () => number;
}

/** Clients that change and read a few flags on the connections of all workers, and one with failed authentications. */
export function startBusyLoad(stage: WorkerStage): BusyLoad {
  const { server, site, changed, random } = stage;
  let isOver = false;
  let seen = 0;
  const mixed = site.load(stage, server, {
    ...{ random, clients: mixedClients, runName: 'case', isPersistent: true, pauseMs, installation: changed },
    isOver: () => isOver,
    onAnswer: (_kind, answer) => {
      if (answer?.status === 200) seen += 1;
    },
  });
  const failures = failAuthentications(stage, () => isOver);
  const all = Promise.all([mixed, failures]);
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
  const counts = `${failed} failures were answered, ${refused} refused, ${lost} lost in ${windows} windows; the limit of each is ${failuresMax}`;
  expect(failed <= failuresMax * windows, counts);
  // A failure whose answer was lost may have been counted.
  if (refused > 0) expect(failed + lost >= failuresMax, counts);
}
