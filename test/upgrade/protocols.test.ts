import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { connect } from '../../src/sdk/connect.ts';
import { RecordSource } from '../../src/storage/record-source.ts';
import type { ReplicaRow } from '../../src/storage/replica/log-row.ts';
import { hashState } from '../../src/storage/replica/state.ts';
import { Snapshots } from '../../src/storage/snapshots.ts';
import { openStore } from '../../src/storage/store.ts';
import { openForReading } from '../../src/storage/store-opening.ts';
import { newId } from '../../src/support/random-id.ts';
import { bootFlagd, callSync, changeFlag, grpcClient } from '../flagd/flagd-fixture.ts';
import { mapBytes, sampleChanges, sampleRecords } from '../storage/support/sample-store.ts';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { bearer, type ClientRequest, createHttpClient } from '../support/http-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { fixtureOf, isWriting, ownVersion, recordedVersions } from '../support/versions.ts';
import { openEvents } from '../worker/ofrep/event-source.ts';

/*
 * What two versions of Burgee say to each other. test/fixtures has a store of each released version, what a server of that
 * version answered from it, and rows of a cluster that it wrote. WRITE_FIXTURE=1 makes those of this version.
 */
t.setTimeout(120_000);

const project = 'Qm4ZtR9bNdk3VvX0aPq1';
const flag = 'k3VvX0aPq7Lw2ZtR9bNd';
const document = {
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      projects: [
        {
          ...{ name: 'shop', slug: 'shop', id: project, environments: ['production', 'staging'] },
          audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro', 'team'] }] }],
          flags: [
            {
              ...{ name: 'checkout', id: flag, cohorts: ['alpha-testers'] },
              environments: { production: { enabled: true, trafficPercentage: 50, audience: 'Pro' } },
            },
            { name: 'search', id: 'aaaaaaaaaaaaaaaaaaaa', environments: { staging: { enabled: true } } },
          ],
          tokens: [{ name: 'ci', permission: 'write' }],
        },
      ],
    },
  ],
};

/** One request and its answer. */
interface Exchange {
  readonly request: ClientRequest;
  readonly status: number;
  readonly type: string | null;
  readonly body: string;
}

/** What a server answered from the recorded store. */
interface Observed {
  readonly exchanges: readonly Exchange[];
  /** The text of a stream: its beginning, and what it sent after a change. */
  readonly syncStream: string;
  readonly ofrepStream: string;
  /** Configurations of flagd's stream, before and after that change. */
  readonly flagd: readonly unknown[];
}

/** Rows of a cluster, and the hash of the state that they lead to. Bytes are in base64. */
interface RecordedRows {
  readonly storeId: string;
  readonly checksum: string;
  readonly rows: readonly (Omit<ReplicaRow, 'changes' | 'checksum'> &
    Record<'changes' | 'checksum', string>)[];
  readonly sha256: string;
}

interface Recording extends Observed {
  readonly secret: string;
  readonly cluster: RecordedRows;
}

const production = `${project}/production`;
const json = { 'content-type': 'application/json' };

/** As the clients of that version send them. */
const requests = (secret: string): readonly ClientRequest[] => [
  { path: `/v1/flags/${flag}?env=production&targetingKey=user-1&plan=pro` },
  { path: `/v1/flags/project/${project}?env=production&targetingKey=user-1&cohort=alpha-testers` },
  {
    ...{
      method: 'POST',
      path: `/ofrep/v1/evaluate/flags/checkout`,
      headers: { ...json, 'x-api-key': production },
    },
    body: '{"context":{"targetingKey":"user-1","plan":"pro"}}',
  },
  {
    ...{ method: 'POST', path: `/projects/${production}/ofrep/v1/evaluate/flags`, headers: json },
    body: '{"context":{"targetingKey":"user-2"}}',
  },
  { path: `/sync/v1/${production}`, headers: bearer(secret) },
  {
    ...{ method: 'POST', path: `/sync/v1/usage/${production}`, headers: { ...json, ...bearer(secret) } },
    body: `{"reportId":"report-0001","flags":[{"id":"${flag}","on":5,"off":2}]}`,
  },
  { path: `/api/v1/flags/${flag}?env=production`, headers: bearer(secret) },
];

/** What a stream sends at intervals, so that a busy machine may see more of it. */
const beat = /^(:.*|id: .*\nevent: beat\ndata: .*)\n\n/gm;

/** Serves a store, sends the requests, opens the streams, and makes a change that they send. */
async function observe(t: Test, dataDir: string, secret: string): Promise<Observed> {
  const { server, flagdPort } = await bootFlagd(t, dataDir);
  const client = createHttpClient(t, { port: server.port });
  const exchanges: Exchange[] = [];
  for (const request of requests(secret)) {
    const { status, headers, text } = await client.send(request);
    exchanges.push({ request, status, type: headers.get('content-type') ?? null, body: text });
  }
  const stream = { accept: 'text/event-stream' };
  const sync = await openEvents(t, server.port, `/sync/v1/${production}`, { ...bearer(secret), ...stream });
  const ofrep = await openEvents(t, server.port, `/projects/${production}/ofrep/v1/events`, stream);
  await Promise.all([sync.next(), ofrep.next()]);
  const grpc = callSync(grpcClient(t, flagdPort), { selector: production, metadata: bearer(secret) });
  await grpc.configuration(0);
  await changeFlag(t, server, secret, `${flag}?env=production`, { enabled: false });
  await Promise.all([sync.next(), ofrep.next(), grpc.configuration(1)]);
  const [syncStream = '', ofrepStream = ''] = [sync, ofrep].map((source) =>
    source.text().replaceAll(beat, ''),
  );
  grpc.cancel();
  await grpc.ended;
  await server.stop();
  return { exchanges, syncStream, ofrepStream, flagd: grpc.received };
}

/** Times, the id of the history, which each copy of a store begins anew, and a stream's pause before it is opened again. */
const varying = /\b1[5-9]\d{8}(\d{3})?\b|\b[0-9A-Za-z]{20}(?=[.]\d)|retry: \d+/g;

function comparable({ exchanges, syncStream, ofrepStream, flagd }: Observed): unknown {
  const text = JSON.stringify({ exchanges, syncStream, ofrepStream, flagd });
  return JSON.parse(text.replaceAll(varying, 'varies'));
}

/** Rows as a node of this version writes them, and the state that follows from them. */
async function writeRows(t: Test): Promise<RecordedRows> {
  const storeId = newId();
  const beginning = { position: 1, checksum: randomBytes(32) };
  const directory = temporaryDirectory(t);
  const store = openStore({ directory, mapBytes, replica: { storeId } });
  const replica = store.asReplica('recorder');
  replica.begin(beginning);
  const rows = sampleChanges(sampleRecords()).flatMap((change) => {
    const { row } = replica.decide(({ apply }) => apply([change]));
    // What a node keeps for itself alone.
    if (row === null) return [];
    replica.follow([row]);
    return { ...row, changes: row.changes.toString('base64'), checksum: row.checksum.toString('base64') };
  });
  await store.close();
  return { storeId, checksum: beginning.checksum.toString('base64'), rows, sha256: stateHash(directory) };
}

function stateHash(directory: string): string {
  const opened = openForReading({ directory, mapBytes });
  const snapshots = new Snapshots(opened.root);
  try {
    return hashState(new RecordSource(opened.databases, snapshots)).sha256;
  } finally {
    snapshots.close();
    void opened.close();
  }
}

/** A data directory with the store of a version, from its backup. */
function copyOf(t: Test, version: string): string {
  const directory = join(temporaryDirectory(t), 'data');
  cpSync(fixtureOf(version, 'backup'), directory, { recursive: true });
  rmSync(join(directory, 'backup.json'));
  return directory;
}

async function write(t: Test): Promise<void> {
  const scratch = temporaryDirectory(t);
  const [file, made] = [join(scratch, 'shop.json'), join(scratch, 'data')];
  writeFileSync(file, JSON.stringify(document));
  const printed = JSON.parse(await runBurgeeOrThrow(['apply', file, '--data-dir', made]));
  const secret = printed.projects.shop.tokens.ci.secret as string;
  const backup = fixtureOf(ownVersion, 'backup');
  rmSync(backup, { recursive: true, force: true });
  mkdirSync(dirname(backup), { recursive: true });
  await runBurgeeOrThrow(['backup', backup, '--data-dir', made]);
  const observed = await observe(t, copyOf(t, ownVersion), secret);
  const recording: Recording = { secret, ...observed, cluster: await writeRows(t) };
  writeFileSync(fixtureOf(ownVersion, 'protocols.json'), `${JSON.stringify(recording, null, 1)}\n`);
}

/** A service that answers sync with the beginning of a recorded stream, and sends more text on demand. */
async function serveRecording(
  t: Test,
  beginning: string,
): Promise<{ readonly url: string; send(text: string): void }> {
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.method !== 'GET') return response.end('{"counted":1,"unknownFlags":0,"isRepeated":false}');
    streams.add(response.writeHead(200, { 'content-type': 'text/event-stream' }));
    return response.write(beginning);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const stream of streams) stream.destroy();
    server.close();
  });
  const send = (text: string): void => {
    for (const stream of streams) stream.write(text);
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, send };
}

if (isWriting()) await t.test('writes the recording of this version', write);

for (const version of recordedVersions) {
  const recording = JSON.parse(readFileSync(fixtureOf(version, 'protocols.json'), 'utf8')) as Recording;

  t.test(`clients of ${version} get from this server what they got from theirs`, async (t) => {
    const observed = await observe(t, copyOf(t, version), recording.secret);
    t.same(comparable(observed), comparable(recording));
  });

  t.test(`this version's burgee-client reads the sync of ${version}`, async (t) => {
    const [beginning = '', change = ''] = recording.syncStream.split(/(?<=\n\n)(?=id: \S+\nevent: delta)/);
    const { url, send } = await serveRecording(t, beginning);
    const client = await connect({ url, project, environment: 'production', token: recording.secret });
    t.teardown(() => client.close());
    const isOn = (): boolean =>
      client.isOn('checkout', { targetingKey: 'user-1', cohort: 'alpha-testers' }, false);
    t.equal(isOn(), true);
    const changed = new Promise<void>((resolve) => client.on('change', () => resolve()));
    send(change);
    await changed;
    t.equal(isOn(), false);
  });

  t.test(`a node of this version follows the rows of a cluster that ${version} wrote`, async (t) => {
    const { storeId, checksum, rows, sha256 } = recording.cluster;
    const directory = temporaryDirectory(t);
    const store = openStore({ directory, mapBytes, replica: { storeId } });
    const replica = store.asReplica('reader');
    const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
    replica.begin({ position: 1, checksum: bytes(checksum) });
    replica.follow(
      rows.map((row) => ({ ...row, changes: bytes(row.changes), checksum: bytes(row.checksum) })),
    );
    await store.close();
    t.equal(stateHash(directory), sha256);
    t.ok(rows.length > 10);
  });
}
