import { unlimited } from '../support/booted-server.ts';
import { withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import { bootTampered } from '../support/tampering/tampered-server.ts';
import type { Campaign } from './campaign.ts';
import { provisionProject } from './campaign-project.ts';
import {
  evaluatorDies,
  evaluatorHangsAndReturns,
  evaluatorStaysHung,
  processStands,
} from './evaluator-faults.ts';
import { SteadyLoad } from './steady-load.ts';
import type { ThreadStage } from './thread-stage.ts';
import { getRequest } from './wire-connection.ts';
import { writerDies, writerHangs } from './writer-faults.ts';

type ThreadCase = (stage: ThreadStage) => Promise<string>;

/** One after another, each kind within the first seven; random decides the rest. */
const kinds: readonly ThreadCase[] = [
  evaluatorDies,
  writerDies,
  evaluatorHangsAndReturns,
  evaluatorDies,
  evaluatorStaysHung,
  writerHangs,
  processStands,
  ...Array.from({ length: 8 }, () => evaluatorDies),
  ...Array.from({ length: 5 }, () => writerDies),
];

/** In npm test the server's monotonic clock runs faster: a thread is hung after seconds, not after a minute. */
const sampleSpeed = 10;
const realDeadlineMs = 1000;
const connections = 64;

async function playCase(number: number, random: Random, isFull: boolean): Promise<string> {
  return withLifetime(async ({ teardown }) => {
    const t = { teardown };
    const speed = isFull ? 1 : sampleSpeed;
    const evaluatorThreads = random.integer(1, 2);
    const requestDeadlineMs = realDeadlineMs * speed;
    const project = await provisionProject(t, { flags: 20 });
    const settings = {
      ...unlimited,
      BURGEE_WORKERS: String(evaluatorThreads),
      BURGEE_REQUEST_DEADLINE_MS: String(requestDeadlineMs),
      BURGEE_LOG_LEVEL: 'info',
    };
    const server = await bootTampered(t, { dataDir: project.dataDir, settings, speed });
    const load = SteadyLoad.start(t, {
      port: server.port,
      connections,
      pauseMs: 5,
      requestOf: (turn) => getRequest(`/v1/flags/${project.flags[turn % 20]}?targetingKey=${turn}`),
      isRight: ({ status, body }) => status === 200 && body.includes('"enabled":true'),
    });
    const play = kinds[(number - 1) % kinds.length] ?? evaluatorDies;
    const realMs = (serverMs: number): number => serverMs / speed;
    const slackMs = isFull ? 100 : 1000;
    const stage = { teardown, random, project, server, load, evaluatorThreads, connections };
    return play({ ...stage, realMs, requestDeadlineMs, slackMs });
  });
}

/** Real threads of a real server, met by their fault in the middle of their work. */
export const threads: Campaign = {
  name: 'threads',
  summary:
    'threads that throw, exit or hang, and a process that stands: no request waits beyond its deadline, the pool is whole again, and what cannot be mended ends the process in order',
  sampleCount: 7,
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
