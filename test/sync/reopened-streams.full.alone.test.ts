import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openSync } from './sync-client.ts';

/*
 * Clients of one project open streams with the id of an old event and go at once, again and again, while the project
 * changes. Each such stream has the service read a state of the store. Nobody is refused, and another tenant's stream
 * gets its change.
 */
t.setTimeout(120_000);
const flagCount = 10_000;
const changes = 60;
const clients = 40;
/** Of another tenant's change to its stream, the median. */
const delayMaxMs = 1000;
const looks = 5;
const attackMs = 3000;

t.test('streams that are opened again and again use up nothing of others', async (t) => {
  const dataDir = temporaryDirectory(t);
  const tokens = [{ name: 'ci', permission: 'write' }];
  const flags = Array.from({ length: flagCount }, (_, index) => ({ name: `f${index}` }));
  const projects = [
    { name: 'long', tokens, flags },
    { name: 'quiet', tokens, flags: [{ name: 'flag' }] },
  ];
  const document = { organisations: [{ name: 'Harbour', plan: 'enterprise', projects }] };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const server = await bootServer(t, { dataDir, settings: { ...unlimited, BURGEE_WORKERS: '1' } });
  const { port } = server;
  const [long, quiet] = [projectOf(provisioned, 'long'), projectOf(provisioned, 'quiet')];
  const client = createHttpClient(t, { port });
  const change = async (project: typeof long, name: string, trafficPercentage: number): Promise<number> => {
    const headers = bearer(tokenOf(project, 'ci').secret);
    const path = `/api/v1/flags/${idOf(project.flags, name)}`;
    const body = JSON.stringify({ trafficPercentage });
    return (await client.send({ method: 'PATCH', path, headers, body })).status;
  };
  const quietStream = await openSync(t, {
    port,
    path: `/sync/v1/${quiet.id}`,
    secret: tokenOf(quiet, 'ci').secret,
  });
  await quietStream.next();
  for (let index = 0; index < changes; index += 1) await change(long, `f${index}`, 10 + index);
  await change(quiet, 'flag', 5);
  const { id } = await quietStream.next();
  const [history, last] = id.split('.');

  const { secret } = tokenOf(long, 'ci');
  const statuses: Record<string, number> = {};
  let isOver = false;
  /** @param waits for an event before it goes: what it is sent has the flags read, while the streams of others wait */
  const keepOpening = async (place: number, waits: boolean): Promise<void> => {
    for (let turn = place; !isOver; turn += 7) {
      const lastEventId = `${history}.${Number(last) - 1 - (turn % changes)}`;
      const stream = await openSync(t, { port, path: `/sync/v1/${long.id}`, secret, lastEventId });
      statuses[stream.status] = (statuses[stream.status] ?? 0) + 1;
      if (waits) await Promise.race([stream.next(() => true), stream.ended]);
      stream.response.destroy();
    }
  };
  const changed = new Set<number>();
  const keepChanging = async (name: string): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) changed.add(await change(long, name, 1 + (turn % 90)));
  };
  const attack = Promise.all([
    ...[false, true].flatMap((waits) =>
      Array.from({ length: clients }, (_, place) => keepOpening(place, waits)),
    ),
    ...['f0', 'f1'].map(keepChanging),
  ]);
  for (const end = performance.now() + attackMs; performance.now() < end; ) {
    const evaluated = await client.send({ path: `/v1/flags/${idOf(quiet.flags, 'flag')}` });
    t.equal(evaluated.status, 200);
    await setTimeout(20);
  }
  const delaysMs: number[] = [];
  for (let look = 0; look < looks; look += 1) {
    t.equal(await change(quiet, 'flag', 10 + look), 200);
    const startedAt = performance.now();
    const event = await quietStream.next();
    t.equal(event.event, 'delta', 'another tenant’s stream gets its change beside them');
    delaysMs.push(performance.now() - startedAt);
  }
  delaysMs.sort((one, other) => one - other);
  const median = delaysMs[looks >> 1] ?? Number.NaN;
  t.ok(median < delayMaxMs, `after ${median.toFixed(0)} ms`);
  isOver = true;
  await attack;
  t.same(Object.keys(statuses), ['200'], `each of ${statuses[200]} streams was opened`);
  t.same([...changed], [200], 'and each change applied');
  const grave = server.lines.filter((line) => /"level":(50|60)\b/.test(line));
  t.same(grave.slice(0, 3), [], 'the log has no errors');
  await server.stop();
});
