import t from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject } from './lifecycle-fixture.ts';

t.test('a second start keeps the data, and apply changes nothing', async (t) => {
  const dataDir = temporaryDirectory(t);
  const document = oneProject('kept', {
    flags: [{ name: 'flag', enabled: true, trafficPercentage: 100, cohorts: ['a'] }],
    tokens: [{ name: 'ci', permission: 'write' }],
  });
  const first = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'kept');
  const { id: tokenId, secret } = tokenOf(first, 'ci');
  const path = `/api/v1/flags/${idOf(first.flags, 'flag')}`;
  for (let start = 1; start <= 2; start += 1) {
    const server = await bootServer(t, { dataDir });
    const client = createHttpClient(t, { port: server.port });
    const flag = await client.send({ path, headers: bearer(secret) });
    t.match(JSON.parse(flag.text), { name: 'flag', enabled: true, cohorts: ['a'] });
    const again = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'kept');
    t.same(again.flags, first.flags, 'the same ids');
    t.same(again.tokens['ci'], { id: tokenId, secret: null }, 'no new secret');
    await server.stop();
    t.notOk(server.lines.join('\n').includes(secret), 'no secret is printed');
  }
});
