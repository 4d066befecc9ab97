import t from 'tap';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { provisionOne } from './lifecycle-fixture.ts';

/*
 * Single changes take a commit each, while changes of a burst share a few. The duration of single changes must not be
 * used to predict that of a burst.
 */
t.setTimeout(60_000);
const single = 100;
const together = 2000;
/** A busy machine may be too slow for one burst. A wrong prediction would refuse changes in each round. */
const rounds = 3;

t.test('after single changes a burst of changes is answered, and no change refused', async (t) => {
  const { dataDir, flag, secret } = await provisionOne(t);
  const settings = { ...unlimited, BURGEE_REQUEST_DEADLINE_MS: '4000' };
  const server = await bootServer(t, { dataDir, settings });
  const client = createHttpClient(t, { port: server.port, connectionsMax: together });
  const change = async (percentage: number): Promise<number> => {
    const { status } = await client.send({
      method: 'PATCH',
      path: `/api/v1/flags/${flag}`,
      headers: bearer(secret),
      body: JSON.stringify({ trafficPercentage: percentage % 100 }),
    });
    return status;
  };
  const refused: number[] = [];
  for (let round = 0; round < rounds && refused.at(-1) !== 0; round += 1) {
    const statuses: number[] = [];
    for (let index = 0; index < single; index += 1) statuses.push(await change(index));
    statuses.push(...(await Promise.all(Array.from({ length: together }, (_, index) => change(index)))));
    refused.push(statuses.filter((status) => status !== 200).length);
  }
  t.equal(refused.at(-1), 0, `refused in each round: ${refused.join(', ')}`);
  await server.stop();
});
