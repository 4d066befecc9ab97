import t from 'tap';
import { getRequest, patchRequest, WireConnection } from '../campaigns/wire-connection.ts';
import { unlimited } from '../support/booted-server.ts';
import { eventually } from '../support/expectations.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { bootTampered } from '../support/tampering/tampered-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Requests in flight: half are for requests with a credential, and one token may have a quarter of these. */
const inFlightMax = 512;
const quotaOfToken = inFlightMax / 2 / 4;
const attempts = 200;

t.test('refusals of one token that wait for the writer count as its requests in flight', async (t) => {
  const dataDir = temporaryDirectory(t);
  const tokens = [
    { name: 'ci', permission: 'write' },
    { name: 'reader', permission: 'read' },
    { name: 'other', permission: 'read' },
  ];
  const project = { name: 'harbour', flags: [{ name: 'flag' }], tokens };
  const document = { organisations: [{ name: 'Harbour', plan: 'enterprise', projects: [project] }] };
  const harbour = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  const server = await bootTampered(t, {
    dataDir,
    settings: { ...unlimited, BURGEE_WORKERS: '1', BURGEE_IN_FLIGHT_MAX: String(inFlightMax) },
  });
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
  const isTold = async (): Promise<boolean> => statuses.length >= attempts - quotaOfToken;
  await eventually(isTold, 4000, 'those beyond its quota are refused at once');
  t.strictSame(new Set(statuses), new Set([503]));
  t.equal(await ask(getRequest(path, secretOf('other'))), 200, 'what needs no writer is answered');
  const others = patchAs('other');
  await server.release();
  t.equal(await change, 200);
  t.equal(await others, 403, 'another token has a quota of its own');
  await Promise.all(refused);
  t.equal(statuses.filter((status) => status === 403).length, quotaOfToken);
  await server.stop();
});
