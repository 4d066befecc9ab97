import { get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { bearer } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject } from './lifecycle-fixture.ts';

/* Answers of many megabytes to clients that read slowly: whole, and without the server waiting for anything else. */
t.setTimeout(120_000);
const environments = ['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8'];
const cohortsEach = 3500;
const bytesEach = 256;
const answerBytesMin = environments.length * cohortsEach * bytesEach;

interface Large {
  readonly server: BootedServer;
  readonly secret: string;
  readonly flag: string;
}

async function bootLarge(t: Test): Promise<Large> {
  const dataDir = temporaryDirectory(t);
  const cohorts = Array.from({ length: cohortsEach }, (_, index) => String(index).padStart(bytesEach, 'c'));
  const states = Object.fromEntries(environments.map((name) => [name, { cohorts }]));
  const document = oneProject('harbour', {
    environments,
    flags: [{ name: 'large', environments: states }],
    tokens: [{ name: 'ci', permission: 'read' }],
  });
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  const server = await bootServer(t, { dataDir, settings: unlimited });
  return { server, secret: tokenOf(project, 'ci').secret, flag: idOf(project.flags, 'large') };
}

function ask({ server, secret }: Large, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path, headers: bearer(secret) };
    get(options, resolve).on('error', reject);
  });
}

/** Reads a piece, pauses, and so on: the pause is the point. @returns what came until the end */
async function readSlowly(response: IncomingMessage, onFirstPiece?: () => void): Promise<string> {
  const pieces: Buffer[] = [];
  let sincePause = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    if (pieces.length === 0) onFirstPiece?.();
    pieces.push(piece);
    sincePause += piece.length;
    if (sincePause < 100_000) continue;
    sincePause = 0;
    await setTimeout(20);
  }
  return Buffer.concat(pieces).toString();
}

t.test('a list whose one flag is larger than many chunks arrives whole', async (t) => {
  const large = await bootLarge(t);
  const text = await readSlowly(await ask(large, '/api/v1/flags'));
  t.ok(text.length > answerBytesMin);
  const { flags } = JSON.parse(text) as { flags: { environments: Record<string, { cohorts: string[] }> }[] };
  t.equal(flags[0]?.environments['e8']?.cohorts.length, cohortsEach);
  await large.server.stop();
});

for (const [name, pathOf] of [
  ['one flag', (flag: string) => `/api/v1/flags/${flag}`],
  ['a list', () => '/api/v1/flags'],
] as const) {
  t.test(`SIGTERM lets a client finish reading ${name}`, async (t) => {
    const large = await bootLarge(t);
    const response = await ask(large, pathOf(large.flag));
    const text = await readSlowly(response, () => large.server.signal('SIGTERM'));
    t.ok(text.length > answerBytesMin);
    t.ok(JSON.parse(text), 'the answer is whole');
    t.equal(await large.server.ended, 0);
  });
}
