import t from 'tap';
import { newRequestName } from '../../src/console/client/request-name.ts';
import { isIdShaped } from '../../src/support/id-shape.ts';
import { bootServer } from '../support/booted-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { PreparedStore } from './prepared-store.ts';

t.test('an entry of the audit log has the name that the page gave its request', async (t) => {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const owner = prepared.addMember('owner');
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir });
  const client = prepared.client(t, server.port, owner);
  const { id } = prepared.project;
  const create = async (name: string, requestName: string) => {
    const headers = { 'x-burgee-request': requestName };
    const answer = await client.send('POST', `/projects/${id}/flags`, { name }, headers);
    t.equal(answer.status, 201, answer.text);
    const { entries } = (await client.send('GET', `/projects/${id}/audit`)).json;
    t.equal(entries[0].targetName, name);
    t.equal(entries[0].requestId, answer.header('x-request-id'));
    return entries[0].requestId as string;
  };
  const mine = newRequestName();
  t.ok(isIdShaped(mine), mine);
  t.equal(await create('named', mine), mine);
  for (const malformed of ['x', `${mine}1`, `${mine.slice(1)}-`]) {
    const given = await create(`not ${malformed}`, malformed);
    t.ok(isIdShaped(given) && given !== malformed, 'a malformed name counts for none');
  }
});
