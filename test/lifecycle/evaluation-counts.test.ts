import t from 'tap';
import { hourMs, hourOf } from '../../src/domain/usage/evaluation-count.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { bootServer } from '../support/booted-server.ts';
import { createHttpClient } from '../support/http-client.ts';
import { provisionOne } from './lifecycle-fixture.ts';

t.setTimeout(60_000);

t.test('SIGTERM records every evaluation that was answered, of one flag and of its project', async (test) => {
  const { dataDir, flag, projectId } = await provisionOne(test);
  const server = await bootServer(test, { dataDir });
  const client = createHttpClient(test, { port: server.port });
  const startedAt = hourOf(Date.now());
  for (let round = 0; round < 20; round += 1) {
    test.equal((await client.send({ path: `/v1/flags/${flag}?targetingKey=${round}` })).status, 200);
  }
  for (let round = 0; round < 3; round += 1) {
    test.equal((await client.send({ path: `/v1/flags/project/${projectId}` })).status, 200);
  }
  test.equal((await client.send({ path: `/v1/flags/${flag}?targetingKey=%` })).status, 400);
  await server.stop();
  const reader = openStoreReader({ directory: dataDir, mapBytes: 2 ** 30 });
  test.teardown(() => reader.close());
  const counts = [startedAt, startedAt + hourMs].flatMap((hour) => [
    ...reader.queries.evaluationCounts(flag, hour),
  ]);
  test.equal(
    counts.reduce((sum, { on, off }) => sum + on + off, 0),
    23,
  );
  test.equal(
    counts.reduce((sum, { on }) => sum + on, 0),
    0,
    'the flag is off',
  );
});
