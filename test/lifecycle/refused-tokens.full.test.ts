import t from 'tap';
import { getRequest, patchRequest, WireConnection } from '../campaigns/wire-connection.ts';
import { unlimited } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { bootTampered } from '../support/tampering/tampered-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Of the places for refusals that are being recorded, those that one token may have. */
const shareOfToken = 128;
const attempts = 200;

t.test('refusals of one token wait for the writer in their share of the places', async (t) => {
  const dataDir = temporaryDirectory(t);
  const tokens = [
    { name: 'ci', permission: 'write' },
    { name: 'reader', permission: 'read' },
    { name: 'other', permission: 'read' },
  ];
  const project = { name: 'harbour', flags: [{ name: 'flag' }], tokens };
  const document = { organisations: [{ name: 'Harbour', plan: 'enterprise', projects: [project] }] };
  const harbour = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  const server = await bootTampered(t, { dataDir, settings: { ...unlimited, BURGEE_WORKERS: '1' } });
  const path = `/api/v1/flags/${harbour.flags['flag']}`;
  const secretOf = (name: string): string => tokenOf(harbour, name).secret;
  const ask = async (request: string): Promise<number | undefined> => {
    const connection = await WireConnection.open(server.port);
    t.teardown(() => connection.destroy());
    return (await connection.ask(request)).status;
  };
  const patchAs = (name: string) => ask(patchRequest(path, secretOf(name), { enabled: true }));

  await server.arm({ kind: 'hang', moment: 'durable', countdown: 1 });
  const change = patchAs('ci');
  const statuses: (number | undefined)[] = [];
  const refused = Array.from({ length: attempts }, async () => {
    statuses.push(await patchAs('reader'));
  });
  const isTold = async (): Promise<boolean> => statuses.length >= attempts - shareOfToken;
  await eventually(isTold, 4000, 'those beyond its share are told at once');
  t.strictSame(new Set(statuses), new Set([503]));
  t.equal(await ask(getRequest(path, secretOf('other'))), 200, 'what needs no writer is answered');
  const others = patchAs('other');
  await server.release();
  t.equal(await change, 200);
  t.equal(await others, 403, 'the refusal of another token had a place');
  await Promise.all(refused);
  t.equal(statuses.filter((status) => status === 403).length, shareOfToken);
  await server.stop();
});
