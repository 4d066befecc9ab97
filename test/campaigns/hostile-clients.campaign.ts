import { bootServer } from '../support/booted-server.ts';
import { expect } from '../support/expectations.ts';
import { withLifetime } from '../support/lifetime.ts';
import type { Campaign, CampaignContext } from './campaign.ts';
import { provisionProject } from './campaign-project.ts';
import { descriptorsRunOut } from './hostile/descriptors-run-out.ts';
import { forgeAddresses } from './hostile/forge-addresses.ts';
import { fragmentRequests } from './hostile/fragment-requests.ts';
import { holdIdleConnections } from './hostile/hold-idle-connections.ts';
import type { HostileStage, HostileStep } from './hostile/hostile-stage.ts';
import { leaveAnswersUnread } from './hostile/leave-answers-unread.ts';
import { sendSlowly } from './hostile/send-slowly.ts';
import { SteadyLoad } from './steady-load.ts';
import { getRequest, WireConnection } from './wire-connection.ts';

type NamedStep = readonly [string, HostileStep];

const steps: readonly NamedStep[] = [
  ['idle connections', holdIdleConnections],
  ['descriptors', descriptorsRunOut],
  ['slow senders', sendSlowly],
  ['unread answers', leaveAnswersUnread],
  ['fragments', fragmentRequests],
  ['forged addresses', forgeAddresses],
];

/** Runs beside a normal load, which must be answered all the time. */
async function playStep(name: string, play: HostileStep, context: CampaignContext): Promise<number> {
  return withLifetime(async ({ teardown }) => {
    const t = { teardown };
    const project = await provisionProject(t, { flags: 4 });
    const settings = {
      BURGEE_MANAGEMENT_RATE_LIMIT: '100000000',
      BURGEE_FAILED_AUTHENTICATION_LIMIT: '20',
      BURGEE_REQUEST_DEADLINE_MS: '2000',
    };
    const server = await bootServer(t, { dataDir: project.dataDir, settings });
    const load = SteadyLoad.start(t, {
      port: server.port,
      connections: 8,
      pauseMs: 4,
      keepsDurations: true,
      requestOf: (turn) => getRequest(`/v1/flags/${project.flags[turn % 4]}?targetingKey=${turn}`),
      isRight: ({ status, body }) => status === 200 && body.includes('"enabled":true'),
    });
    const stage: HostileStage = { teardown, project, server, load, context };
    const tried = await play(stage);
    await load.stop();
    const { wrong, unavailable, lost } = load.tally;
    expect(
      wrong.length + unavailable + lost === 0,
      `${name}: the load beside: ${JSON.stringify(load.tally)}`,
    );
    await judgeAlive(stage);
    await server.stop();
    const grave = server.lines.filter((line) => /"level":(50|60)\b/.test(line));
    expect(grave.length === 0, `${name}: the log has errors:\n${grave.slice(0, 3).join('\n')}`);
    return tried;
  });
}

/** Checks that no hostile request has changed anything. */
async function judgeAlive({ project, server }: HostileStage): Promise<void> {
  const connection = await WireConnection.open(server.port);
  for (const flag of project.flags) {
    const { status, body } = await connection.ask(getRequest(`/v1/flags/${flag}?targetingKey=1`));
    expect(status === 200 && body.includes('"enabled":true'), `afterwards: ${status} ${body}`);
  }
  connection.destroy();
}

/** Clients that idle, send slowly, forge addresses and use up resources. */
export const hostileClients: Campaign = {
  name: 'hostile-clients',
  summary:
    'idle, slow, malformed, fragmented and forging clients, and no descriptors left: other clients are answered all the time',
  sampleCount: 2,
  fullCount: 20,
  tools: ['slowhttptest', 'prlimit'],
  async run(context) {
    const counts: Record<string, number> = { fragmentations: context.count };
    const run = async ([name, play]: NamedStep): Promise<void> => {
      counts[name] = await playStep(name, play, context);
    };
    // Each has a server of its own, and a sample judges no ratio of times: so it runs them side by side.
    if (context.isFull) for (const step of steps) await run(step);
    else await Promise.all(steps.map(run));
    return counts;
  },
};
