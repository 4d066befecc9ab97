import t, { type Test } from 'tap';
import { type CampaignProject, provisionProject } from '../campaigns/campaign-project.ts';
import { getRequest, WireConnection } from '../campaigns/wire-connection.ts';
import { unlimited } from '../support/booted-server.ts';
import { eventually, within } from '../support/expectations.ts';
import { createHttpClient } from '../support/http-client.ts';
import { bootTampered, type TamperedServer } from '../support/tampering/tampered-server.ts';

/* Where an assertion fails, its thread ends as any fault ends it: a worker is replaced, the main thread ends the process. */
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

/** Asks on a connection of its own. */
async function evaluate({ server, project }: Stage): Promise<number> {
  const connection = await WireConnection.open(server.port);
  const { status } = await connection.ask(getRequest(`/v1/flags/${project.flags[0]}`));
  connection.destroy();
  return status;
}

t.test('a worker whose connections cannot be right leaves in order, and is replaced', async (t) => {
  const stage = await setUp(t);
  const { server } = stage;
  await server.arm({ kind: 'miscount', moment: 'beat', countdown: 1 });
  let hasLeft = false;
  const leaving = server
    .line((line) => line.includes('a worker shuts down'))
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
  t.strictSame([...statuses], [200], 'nobody got anything but an answer');
  await server.stop();
});

/** Asks for a change of a server that does not live to answer it. @returns the lines of its log about its end */
async function endOf({ server, project }: Stage, t: Test): Promise<readonly string[]> {
  const asked = createHttpClient(t, { port: server.port })
    .send({
      method: 'PATCH',
      path: `/api/v1/flags/${project.flags[0]}`,
      headers: { authorization: `Bearer ${project.secret}`, 'content-type': 'application/json' },
      body: '{"enabled": false}',
    })
    .catch(() => null);
  t.equal(await within(server.ended, 10_000, () => 'the process goes on'), 'SIGKILL');
  await asked;
  return server.lines.filter((line) => line.includes('the service cannot go on and ends'));
}

const endings = [
  {
    name: 'a worker that tells the main thread what cannot be',
    fault: { kind: 'lie', moment: 'change' },
    told: 'a page leaves its place once, and by its own worker',
  },
  {
    name: 'a command that the writer gets twice',
    fault: { kind: 'repeat', moment: 'change' },
    told: "a client's tickets rise",
  },
] as const;

for (const { name, fault, told } of endings) {
  t.test(`${name} ends the process in order, and the log says why, once`, async (t) => {
    const stage = await setUp(t);
    await stage.server.arm({ ...fault, countdown: 1 });
    const lines = await endOf(stage, t);
    const why = lines.filter((line) => line.includes(`this does not hold: ${told}`));
    t.equal(why.length, 1, `the log says why, once: ${lines}`);
  });
}

t.test('a worker that gets a result twice leaves in order, and its change is answered', async (t) => {
  const { server, project } = await setUp(t);
  await server.arm({ kind: 'repeat', moment: 'told', countdown: 1 });
  const answer = await createHttpClient(t, { port: server.port }).send({
    method: 'PATCH',
    path: `/api/v1/flags/${project.flags[0]}`,
    headers: { authorization: `Bearer ${project.secret}`, 'content-type': 'application/json' },
    body: '{"enabled": false}',
  });
  t.equal(answer.status, 200);
  const line = await server.line((text) => text.includes('a worker shuts down'));
  t.match(line, /this does not hold: a command has one result/);
  await server.stop();
});
