import { setTimeout } from 'node:timers/promises';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { expect } from '../support/expectations.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import type { Random } from '../support/random.ts';
import type { Campaign } from './campaign.ts';
import { type CampaignProject, provisionProject } from './campaign-project.ts';
import { checkRegister, type RegisterOperation } from './registers/register-history.ts';
import { chooseStep, openRegisters, type RegisterStep, type Registers } from './registers/register-steps.ts';
import { WireConnection } from './wire-connection.ts';

const clients = 16;
const flagCount = 4;
const initial = 'nobody';
const reopenPauseMs = 20;

/** A flag is a register: its one cohort is the value. The flag is off for all others. */
const registerState = { enabled: true, trafficPercentage: 0, cohorts: [initial] };

interface Run {
  readonly project: CampaignProject;
  readonly registers: Registers;
  readonly random: Random;
  readonly histories: readonly RegisterOperation[][];
  /** Writes without an answer. They end when their server dies. */
  readonly unanswered: { readonly flag: number; readonly operation: RegisterOperation }[];
  server: BootedServer | null;
  isOver: boolean;
  answers: number;
  /** The workers of each server; the 16 connections are spread over them. */
  readonly workers: number;
}

async function playClient(run: Run, client: number): Promise<void> {
  const random = run.random.fork(100 + client);
  let connection: WireConnection | null = null;
  for (let turn = 1; !run.isOver; turn += 1) {
    if (connection === null || connection.isLost) {
      connection = run.server === null ? null : await WireConnection.open(run.server.port).catch(() => null);
      if (connection === null) await setTimeout(reopenPauseMs);
      continue;
    }
    await playStep(run, connection, chooseStep(run.registers, random, `client ${client} turn ${turn}`));
  }
  connection?.destroy();
}

async function playStep(run: Run, connection: WireConnection, step: RegisterStep): Promise<void> {
  const { flag, request, action, written } = step;
  const calledAt = performance.now();
  const answer = await connection.ask(request).catch(() => null);
  const returnedAt = performance.now();
  if (answer === null) {
    if (written === null) return;
    const operation = {
      action: { kind: 'write', value: written },
      calledAt,
      returnedAt,
      isOptional: true,
    } as const;
    run.unanswered.push({ flag, operation });
    return;
  }
  expect(answer.status === 200, `${request.slice(0, 60)}: ${answer.status} ${answer.body}`);
  if (written !== null) expect(answer.body.includes(written), `a change is answered with ${answer.body}`);
  run.histories[flag]?.push({ action: action(answer), calledAt, returnedAt, isOptional: false });
  run.answers += 1;
}

async function bootFor(t: Lifetime, run: Run): Promise<void> {
  const settings = { ...unlimited, BURGEE_WORKERS: String(run.workers) };
  run.server = await bootServer(t, { dataDir: run.project.dataDir, settings });
}

/** Writes that the dead server had begun cannot take effect any more. */
async function killAndRestart(t: Lifetime, run: Run): Promise<void> {
  const { server } = run;
  run.server = null;
  server?.signal('SIGKILL');
  await server?.ended;
  await setTimeout(reopenPauseMs);
  settleUnanswered(run);
  await bootFor(t, run);
}

function settleUnanswered(run: Run): void {
  const returnedAt = performance.now();
  for (const { flag, operation } of run.unanswered.splice(0)) {
    run.histories[flag]?.push({ ...operation, returnedAt });
  }
}

async function playRun(random: Random, durationMs: number, kills: number): Promise<Run> {
  return withLifetime(async ({ teardown }) => {
    const t = { teardown };
    const project = await provisionProject(t, { flags: flagCount, state: registerState });
    const run: Run = {
      project,
      random,
      histories: project.flags.map(() => []),
      registers: openRegisters(project.flags, project.secret, initial),
      unanswered: [],
      server: null,
      isOver: false,
      answers: 0,
      workers: random.integer(2, 3),
    };
    await bootFor(t, run);
    const played = Promise.all(Array.from({ length: clients }, (_, client) => playClient(run, client)));
    const lived = (async () => {
      for (let kill = 0; kill <= kills; kill += 1) {
        await setTimeout((durationMs / (kills + 1)) * (0.5 + random.next()));
        if (kill < kills) await killAndRestart(t, run);
      }
      run.isOver = true;
    })();
    await Promise.all([played, lived]);
    await run.server?.stop();
    settleUnanswered(run);
    const checked = await runBurgee(['check', '--data-dir', project.dataDir]);
    expect(checked.code === 0, `the check after the run: ${checked.stdout}${checked.stderr}`);
    return run;
  });
}

/** Sixteen clients that change and read four flags see one order of changes, also when servers are killed. */
export const linearizability: Campaign = {
  name: 'linearizability',
  summary:
    '16 clients change and read 4 flags through both APIs, with and without kill -9: an order of all that was answered explains every answer',
  sampleCount: 2,
  fullCount: 20,
  async run({ cases, isFull }) {
    const counts = { runs: 0, kills: 0, answers: 0, 'unanswered writes': 0 };
    for (const { number, random } of cases()) {
      const kills = number % 2 === 0 ? random.integer(1, 3) : 0;
      const run = await playRun(random, isFull ? 10_000 : 4000, kills);
      for (const history of run.histories) {
        checkRegister(history, initial);
        counts['unanswered writes'] += history.filter(({ isOptional }) => isOptional).length;
      }
      counts.runs += 1;
      counts.kills += kills;
      counts.answers += run.answers;
    }
    return counts;
  },
};
