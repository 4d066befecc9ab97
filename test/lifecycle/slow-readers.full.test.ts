import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { bearer } from '../support/http-client.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { oneProject } from './lifecycle-fixture.ts';

/* Answers of many megabytes to slow clients arrive completely, and the server waits only for them. */
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
  const document = oneProject('harbour', {
    environments,
    // Each environment shows the flag-wide list.
    flags: [{ name: 'large', cohorts }],
    tokens: [{ name: 'ci', permission: 'read' }],
  });
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'harbour');
  const server = await bootServer(t, { dataDir, settings: unlimited });
  return { server, secret: tokenOf(project, 'ci').secret, flag: idOf(project.flags, 'large') };
}

function ask({ server, secret }: Pick<Large, 'server' | 'secret'>, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path, headers: bearer(secret) };
    get(options, resolve).on('error', reject);
  });
}

/** Reads pieces with pauses, which make the reader slow. @returns all that came */
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

t.test('SIGTERM lets a client finish reading one flag of many megabytes', async (t) => {
  const large = await bootLarge(t);
  const response = await ask(large, `/api/v1/flags/${large.flag}`);
  const text = await readSlowly(response, () => large.server.signal('SIGTERM'));
  t.ok(text.length > answerBytesMin);
  t.ok(JSON.parse(text), 'the answer is complete');
  t.equal(await large.server.ended, 0);
});

/** Flags that have all of these cohorts, each as many as it may have. */
function flagsOf(cohorts: readonly string[]) {
  const count = Math.ceil(cohorts.length / cohortsEach);
  return Array.from({ length: count }, (_, index) => ({
    name: `large ${index}`,
    cohorts: cohorts.slice(index * cohortsEach, (index + 1) * cohortsEach),
  }));
}

function countOf(flags: readonly { readonly cohorts: readonly string[] }[]): number {
  return flags.reduce((sum, { cohorts }) => sum + cohorts.length, 0);
}

const stepBytes = 128 * 1024;
const stillMs = 500;

/** The size of a local connection's send buffer, which fills when its client does not read. */
function socketBufferBytes(): number {
  return Number(readFileSync('/proc/sys/net/ipv4/tcp_wmem', 'utf8').trim().split(/\s+/).at(-1));
}

/** Resolves when the server's sockets have taken no more bytes for a while, because no client reads. */
async function untilNothingMoves(port: number): Promise<void> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const queues = (): string =>
    readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, address]) => address?.endsWith(local))
      .map(([, , , , queue]) => queue)
      .join();
  for (let [before, now] = ['', queues()]; before !== now; [before, now] = [now, queues()]) {
    await setTimeout(stillMs);
  }
}

/*
 * When a socket takes no more, a whole last chunk is left, part of one, or more than one. The answers' lengths differ
 * by half of what a worker makes ahead, so that each case occurs.
 */
t.test('SIGTERM cuts no answer short, with any number of bytes still to be sent', async (t) => {
  const sizes = Array.from({ length: 9 }, (_, index) => socketBufferBytes() + (index - 5) * stepBytes);
  const cohort = (_: unknown, index: number): string => String(index).padStart(bytesEach, 'c');
  const projects = sizes.map((size) => ({
    name: `of ${size}`,
    flags: flagsOf(Array.from({ length: Math.floor(size / (bytesEach + 3)) }, cohort)),
    tokens: [{ name: 'ci', permission: 'read' }],
  }));
  const dataDir = temporaryDirectory(t);
  const document = { organisations: [{ name: 'Harbour', plan: 'enterprise', projects }] };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const settings = { ...unlimited, BURGEE_DRAIN_TIMEOUT_MS: '60000', BURGEE_REQUEST_DEADLINE_MS: '30000' };
  const server = await bootServer(t, { dataDir, settings });
  const responses = await Promise.all(
    projects.map(async ({ name, flags }) => {
      const { secret } = tokenOf(projectOf(provisioned, name), 'ci');
      const response = await ask({ server, secret }, '/api/v1/flags');
      return { response: response.pause(), wanted: countOf(flags) };
    }),
  );
  await untilNothingMoves(server.port);
  server.signal('SIGTERM');
  // All at the same time, because a client that reads nothing for long is cut off.
  const texts = await Promise.all(responses.map(({ response }) => readSlowly(response)));
  for (const [index, { wanted }] of responses.entries()) {
    const { flags } = JSON.parse(texts[index] ?? '') as { flags?: { cohorts: string[] }[] };
    t.equal(countOf(flags ?? []), wanted, String(texts[index]?.slice(0, 200)));
  }
  t.equal(await server.ended, 0);
});
