import t, { type Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { bearer, type ClientRequest, type ClientResponse, createHttpClient } from '../support/http-client.ts';
import { provisionOne } from './lifecycle-fixture.ts';

/* Every answer 503 says when to try again, for every cause. */
t.setTimeout(120_000);

const connections = 64;
const burstsMax = 50;

/** Sends bursts until one of their answers is a 503. @returns every answer */
async function burst(
  t: Test,
  server: BootedServer,
  makeRequest: (index: number) => ClientRequest,
): Promise<ClientResponse[]> {
  const client = createHttpClient(t, { port: server.port, connectionsMax: connections });
  const answers: ClientResponse[] = [];
  for (let turn = 0; turn < burstsMax && !answers.some(({ status }) => status === 503); turn += 1) {
    const requests = Array.from({ length: 4 * connections }, (_, index) => client.send(makeRequest(index)));
    answers.push(...(await Promise.all(requests)));
  }
  return answers;
}

function sayWhen(t: Test, answers: readonly ClientResponse[], detail: RegExp): void {
  const refused = answers.filter(({ status }) => status === 503);
  t.ok(refused.length > 0, `${refused.length} of ${answers.length} were refused`);
  const silent = refused.filter(({ headers }) => !/^[1-9]\d*$/.test(headers.get('retry-after') ?? ''));
  t.same(silent, []);
  // A busy machine may refuse some for another reason.
  t.ok(
    refused.some(({ text }) => detail.test(text)),
    refused[0]?.text ?? '',
  );
}

t.test('too many requests in flight: a 503 that says when to try again', async (t) => {
  const { dataDir, flag, secret } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: { ...unlimited, BURGEE_IN_FLIGHT_MAX: '1' } });
  // A change waits for its commit. An evaluation is answered at once, and never refused.
  const change = (index: number): ClientRequest => ({
    method: 'PATCH',
    path: `/api/v1/flags/${flag}`,
    headers: bearer(secret),
    body: JSON.stringify({ trafficPercentage: index % 100 }),
  });
  sayWhen(t, await burst(t, server, change), /in flight/);
  await server.stop();
});

t.test('a passed deadline: a 503 that says when to try again, and nothing was created', async (t) => {
  const { dataDir, secret } = await provisionOne(t);
  const server = await bootServer(t, {
    dataDir,
    settings: { ...unlimited, BURGEE_REQUEST_DEADLINE_MS: '10' },
  });
  const cohorts = Array.from({ length: 2000 }, (_, index) => `cohort-${index}`);
  const answers = await burst(t, server, (index) => ({
    method: 'POST',
    path: '/api/v1/flags',
    headers: bearer(secret),
    body: JSON.stringify({ name: `flag ${index}`, cohorts }),
  }));
  sayWhen(t, answers, /not begun within its deadline and has not been applied/);
  await server.stop();
});
