import t, { type Test } from 'tap';
import { type CampaignProject, provisionProject } from '../campaigns/campaign-project.ts';
import { getRequest, WireConnection } from '../campaigns/wire-connection.ts';
import { unlimited } from '../support/booted-server.ts';
import { eventually, within } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { bootTampered, type TamperedServer } from '../support/tampering/tampered-server.ts';

/* A failed assertion ends its thread like any fault: a worker is replaced, the main thread ends the process. */
t.setTimeout(60_000);

interface Stage {
  readonly project: CampaignProject;
  readonly server: TamperedServer;
}

async function setUp(t: Test): Promise<Stage> {
  const project = await provisionProject(t, { flags: 1 });
  const settings = { ...unlimited, BURGEE_WORKERS: '2' };
  return { project, server: await bootTampered(t, { dataDir: project.dataDir, settings }) };
}

/** Sends a request on a connection of its own. */
async function evaluate({ server, project }: Stage): Promise<number> {
  const connection = await WireConnection.open(server.port);
  const { status } = await connection.ask(getRequest(`/v1/flags/${project.flags[0]}`));
  connection.destroy();
  return status;
}

t.test('a worker with an impossible count of connections leaves in order, and is replaced', async (t) => {
  const stage = await setUp(t);
  const { server } = stage;
  await server.arm({ kind: 'miscount', moment: 'beat', countdown: 1 });
  let hasLeft = false;
  const leaving = server
    .line((line) => line.includes('a worker leaves in order'))
    .then((line) => {
      hasLeft = true;
      return line;
    });
  const statuses = new Set<number>();
  while (!hasLeft) statuses.add(await evaluate(stage));
  t.match(await leaving, /this does not hold: no more connections are closed than were opened/);
  await server.line((line) => line.includes('a worker has ended'));
  await eventually(async () => (await server.report()).workersBegun === 3, 10_000, 'it is not replaced');
  for (let turn = 0; turn < 4; turn += 1) statuses.add(await evaluate(stage));
  t.strictSame([...statuses], [200], 'every request was answered');
  await server.stop();
});

t.test("a worker's impossible message ends the process in order", async (t) => {
  const { server, project } = await setUp(t);
  await server.arm({ kind: 'lie', moment: 'change', countdown: 1 });
  const asked = createHttpClient(t, { port: server.port })
    .send({
      method: 'PATCH',
      path: `/api/v1/flags/${project.flags[0]}`,
      headers: { authorization: `Bearer ${project.secret}`, 'content-type': 'application/json' },
      body: '{"enabled": false}',
    })
    .catch(() => null);
  t.equal(await within(server.ended, 10_000, () => 'the process does not end'), 'SIGKILL');
  await asked;
  const told = server.lines.filter((line) => line.includes('the service cannot go on and ends'));
  t.equal(told.length, 1, 'the log says why, once');
  t.match(told[0], /this does not hold: a page leaves its place once/);
});
