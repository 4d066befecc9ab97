import { adminClientOf } from '../admin/admin-fixture.ts';
import { unlimited } from '../support/booted-server.ts';
import { withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import { bootTampered } from '../support/tampering/tampered-server.ts';
import type { Campaign } from './campaign.ts';
import { Site } from './load/site.ts';
import { SteadyLoad } from './steady-load.ts';
import { getRequest } from './wire-connection.ts';
import {
  allWorkersDie,
  processStands,
  workerDies,
  workerDiesInDrain,
  workerFillsUp,
  workerHangsAndReturns,
  workerStaysHung,
} from './worker-faults.ts';
import { failuresMax, type WorkerStage } from './worker-load.ts';
import { writerDies, writerHangs } from './writer-faults.ts';

type WorkerCase = (stage: WorkerStage) => Promise<string>;

/** The cases' kinds in order. The first nine are all kinds; random decides a case's details. */
const kinds: readonly WorkerCase[] = [
  workerDies,
  writerDies,
  workerHangsAndReturns,
  workerFillsUp,
  workerStaysHung,
  writerHangs,
  processStands,
  allWorkersDie,
  workerDiesInDrain,
  ...Array.from({ length: 8 }, () => workerDies),
  ...Array.from({ length: 2 }, () => workerFillsUp),
  ...Array.from({ length: 2 }, () => allWorkersDie),
  ...Array.from({ length: 2 }, () => writerDies),
  workerHangsAndReturns,
  workerDiesInDrain,
];

/**
 * In a sample the server's monotonic clock runs faster, so that a thread counts as hung after seconds instead of a
 * minute.
 */
const sampleSpeed = 10;
const realDeadlineMs = 1000;
const connections = 64;
/** Pause of each connection. A sample leaves CPU time to the faults, which do not depend on the rate of evaluations. */
const pauseMs = { full: 5, sample: 40 };
const flagsPerProject = 12;
/** Flags of the first project that no client changes. */
const steadyFlags = 8;

async function playCase(number: number, random: Random, isFull: boolean): Promise<string> {
  return withLifetime(async ({ teardown }) => {
    const t = { teardown };
    const speed = isFull ? 1 : sampleSpeed;
    const workers = random.integer(1, 3);
    const requestDeadlineMs = realDeadlineMs * speed;
    const site = await Site.open(t, { flags: flagsPerProject });
    const { single } = site.installation;
    const steady = single.targets.slice(0, steadyFlags);
    const changed = { ...single, targets: single.targets.slice(steadyFlags) };
    const settings = {
      ...unlimited,
      BURGEE_WORKERS: String(workers),
      BURGEE_REQUEST_DEADLINE_MS: String(requestDeadlineMs),
      BURGEE_FAILED_AUTHENTICATION_LIMIT: String(failuresMax),
      BURGEE_ADMIN_PORT: '0',
      BURGEE_LOG_LEVEL: 'info',
    };
    const server = await bootTampered(t, { dataDir: site.dataDir, settings, speed });
    const load = SteadyLoad.start(t, {
      port: server.port,
      connections,
      pauseMs: isFull ? pauseMs.full : pauseMs.sample,
      requestOf: (turn) => getRequest(`/v1/flags/${steady[turn % steadyFlags]?.flagId}?targetingKey=${turn}`),
      isRight: ({ status, body }) => status === 200 && body.includes('"enabled":false'),
    });
    const play = kinds[(number - 1) % kinds.length] ?? workerDies;
    return play({
      teardown,
      random,
      site,
      changed: { ...site.installation, single: changed },
      steady,
      server,
      admin: await adminClientOf(t, server),
      load,
      workers,
      connections,
      requestDeadlineMs,
      realMs: (serverMs) => serverMs / speed,
      slackMs: isFull ? 200 : 1000,
    });
  });
}

/** Faults in real threads of a real server, in the middle of their work. */
export const workers: Campaign = {
  name: 'workers',
  summary:
    'workers that throw, hang or fill their heap under load and changes, a writer that dies, and a stopped process: no answer is wrong, stale or lost, limits stay exact, the pool is complete again, and a fault that cannot be repaired ends the process in order',
  sampleCount: 9,
  fullCount: 100,
  async run({ cases, isFull }) {
    const outcomes = new Map<string, number>();
    for (const { number, random } of cases()) {
      const outcome = await playCase(number, random, isFull);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    return Object.fromEntries(outcomes);
  },
};
