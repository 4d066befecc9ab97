import { setTimeout } from 'node:timers/promises';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { unlimited } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { expect } from '../support/expectations.ts';
import { bearer, type ClientResponse, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type Lifetime, withLifetime } from '../support/lifetime.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import type { Random } from '../support/random.ts';
import { bootTampered, type TamperedServer } from '../support/tampering/tampered-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Campaign } from './campaign.ts';
import { ClockModel, hourMs, yearMs } from './clock-model.ts';
import { SteadyLoad } from './steady-load.ts';
import { getRequest } from './wire-connection.ts';

interface Tokens {
  readonly [name: string]: { readonly id: string; readonly secret: string };
}

interface Harbour {
  readonly dataDir: string;
  readonly flag: string;
  /**
   * `ci` never expires, `brief` expires in half an hour, `long` in half a year; `reader` only reads; `trial` belongs to
   * a project in its trial.
   */
  readonly tokens: Tokens;
  readonly endsAt: { readonly brief: number; readonly long: number; readonly trial: number };
}

/**
 * When the window began, by the test's clock. On a busy machine that is long after the request that began it was sent.
 */
interface FilledWindow {
  readonly notBefore: number;
  readonly notAfter: number;
}

interface Voyage {
  readonly harbour: Harbour;
  readonly server: TamperedServer;
  readonly client: HttpClient;
  /** A client whose failed authentications fill its address's window. */
  readonly stranger: HttpClient;
  readonly model: ClockModel;
  readonly window: FilledWindow;
}

/** The server's monotonic clock runs faster, so that a window of a minute ends after seconds. It never jumps. */
const speed = 10;
const windowRealMs = 60_000 / speed;
const jumpsMs = [hourMs, -hourMs, yearMs, -yearMs];
const failuresMax = 5;
const createdName = 'made-once';
const mapBytes = 64 * 1024 ** 3;

async function provisionHarbour(t: Lifetime): Promise<Harbour> {
  const dataDir = temporaryDirectory(t);
  const brief = Date.now() + hourMs / 2;
  const long = Date.now() + yearMs / 2;
  const tokens = [
    { name: 'ci', permission: 'write' },
    { name: 'brief', permission: 'write', expiresAt: brief },
    { name: 'long', permission: 'write', expiresAt: long },
    { name: 'reader', permission: 'read' },
  ];
  const flags = [{ name: 'flag', enabled: true, trafficPercentage: 100 }];
  const trial = [{ name: 'trial', permission: 'write' }];
  const organisations = [
    { name: 'Harbour', plan: 'enterprise', projects: [{ name: 'harbour', flags, tokens }] },
    { name: 'Trial', plan: 'free', trialEndsAt: brief, projects: [{ name: 'trial', tokens: trial }] },
  ];
  const provisioned = await provision(dataDir, temporaryDirectory(t), { organisations });
  const harbour = projectOf(provisioned, 'harbour');
  const given = Object.fromEntries(tokens.map(({ name }) => [name, tokenOf(harbour, name)]));
  return {
    dataDir,
    flag: idOf(harbour.flags, 'flag'),
    tokens: { ...given, trial: tokenOf(projectOf(provisioned, 'trial'), 'trial') },
    endsAt: { brief, long, trial: brief },
  };
}

function tokenIn({ tokens }: Harbour, name: string): { readonly id: string; readonly secret: string } {
  const token = tokens[name];
  if (token === undefined) throw new Error(`there is no token ${name}`);
  return token;
}

function patch({ client, harbour }: Voyage, name: string, body: unknown): Promise<ClientResponse> {
  const headers = bearer(tokenIn(harbour, name).secret);
  return client.send({
    method: 'PATCH',
    path: `/api/v1/flags/${harbour.flag}`,
    headers,
    body: JSON.stringify(body),
  });
}

async function judgeExpiry({ client, harbour, model }: Voyage): Promise<void> {
  for (const name of ['brief', 'long'] as const) {
    const { id, secret } = tokenIn(harbour, name);
    const isExpired = model.isOver(harbour.endsAt[name]);
    const { status, text } = await client.send({ path: '/api/v1/token', headers: bearer(secret) });
    const expected = isExpired ? 401 : 200;
    expect(
      status === expected,
      `${name}, ${model.offsetMs / hourMs} hours on: ${status} ${text}, not ${expected}`,
    );
    if (!isExpired) continue;
    expect(text.includes('Token expired'), text);
    model.deny(id);
  }
  const headers = bearer(tokenIn(harbour, 'trial').secret);
  const { status } = await client.send({ path: '/api/v1/flags', headers });
  const expected = model.isOver(harbour.endsAt.trial) ? 402 : 200;
  expect(status === expected, `the trial, ${model.offsetMs / hourMs} hours on: ${status}, not ${expected}`);
}

async function judgeChange(voyage: Voyage, turn: number): Promise<void> {
  const { status, text } = await patch(voyage, 'ci', { cohorts: [`turn ${turn}`] });
  expect(status === 200, `a change: ${status} ${text}`);
  const { flag } = JSON.parse(text) as { flag: { updatedAt: number } };
  const problem = voyage.model.change(flag.updatedAt);
  expect(problem === null, problem ?? '');
}

/** Creates a flag, with the same idempotency key each time. */
async function judgeCreation({ client, harbour, model }: Voyage): Promise<void> {
  const headers = { ...bearer(tokenIn(harbour, 'ci').secret), 'idempotency-key': 'voyage' };
  const body = JSON.stringify({ name: createdName });
  const { status, text } = await client.send({ method: 'POST', path: '/api/v1/flags', headers, body });
  expect(status === 201, `a create, ${model.offsetMs / hourMs} hours on: ${status} ${text}`);
  const problem = model.create(text);
  expect(problem === null, problem ?? '');
}

async function judgeCreations({ client, harbour, model }: Voyage): Promise<void> {
  const path = `/api/v1/flags?name=${createdName}`;
  const { text } = await client.send({ path, headers: bearer(tokenIn(harbour, 'ci').secret) });
  const { flags } = JSON.parse(text) as { flags: readonly unknown[] };
  expect(flags.length === model.creations, `${flags.length} flags were made, not ${model.creations}`);
}

async function judgeDenial(voyage: Voyage): Promise<void> {
  const { status, text } = await patch(voyage, 'reader', { enabled: false });
  expect(status === 403, `a change by a reader: ${status} ${text}`);
  voyage.model.deny(tokenIn(voyage.harbour, 'reader').id);
}

/** The window is a minute of the monotonic clock; the wall clock has no effect on it. */
async function judgeWindow({ stranger, window }: Voyage): Promise<void> {
  const { status, headers } = await stranger.send({ path: '/api/v1/token' });
  const passedMs = performance.now() - window.notBefore;
  if (passedMs > windowRealMs * 0.9) return;
  expect(status === 429, `a full window after ${passedMs} ms of ${windowRealMs}: ${status}`);
  const retryAfter = Number(headers.get('retry-after'));
  expect(retryAfter >= 1 && retryAfter <= 60, `Retry-After is ${retryAfter}`);
}

async function fillWindow(stranger: HttpClient): Promise<FilledWindow> {
  const notBefore = performance.now();
  await stranger.send({ path: '/api/v1/token' });
  const notAfter = performance.now();
  for (let failure = 2; failure <= failuresMax; failure += 1) await stranger.send({ path: '/api/v1/token' });
  const { status } = await stranger.send({ path: '/api/v1/token' });
  expect(status === 429, `after ${failuresMax} failed authentications: ${status}`);
  return { notBefore, notAfter };
}

async function judgeEmails({ harbour, model }: Voyage): Promise<number> {
  const reader = openStoreReader({ directory: harbour.dataDir, mapBytes });
  const stored = new Map<string, number>();
  for (const { entry } of reader.queries.outboxAfter(0)) {
    stored.set(entry.denial.tokenId, (stored.get(entry.denial.tokenId) ?? 0) + 1);
  }
  await reader.close();
  for (const [name, { id }] of Object.entries(harbour.tokens)) {
    const [found, expected] = [stored.get(id) ?? 0, model.emails.get(id) ?? 0];
    expect(found === expected, `${name} has ${found} denial emails, not ${expected}`);
  }
  return [...stored.values()].reduce((sum, count) => sum + count, 0);
}

async function sail(voyage: Voyage, random: Random, jumps: number): Promise<void> {
  const { server, model } = voyage;
  // Each kind of jump happens at least once, in random order.
  const route = [
    ...random.shuffle(jumpsMs),
    ...Array.from({ length: jumps - jumpsMs.length }, () => random.pick(jumpsMs)),
  ];
  await judgeChange(voyage, -1);
  await judgeCreation(voyage);
  for (const [turn, jumpMs] of route.entries()) {
    model.offsetMs += jumpMs;
    await server.setWallClock(model.offsetMs);
    await judgeExpiry(voyage);
    await judgeChange(voyage, turn);
    await judgeCreation(voyage);
    await judgeDenial(voyage);
    await judgeWindow(voyage);
  }
}

async function playCase(random: Random, jumps: number): Promise<number> {
  return withLifetime(async ({ teardown }) => {
    const t = { teardown };
    const harbour = await provisionHarbour(t);
    const settings = { ...unlimited, BURGEE_FAILED_AUTHENTICATION_LIMIT: String(failuresMax) };
    const server = await bootTampered(t, { dataDir: harbour.dataDir, settings, speed });
    const { port } = server;
    const client = createHttpClient(t, { port });
    const stranger = createHttpClient(t, { port, localAddress: '127.0.0.77' });
    const load = SteadyLoad.start(t, {
      port,
      connections: 4,
      pauseMs: 10,
      requestOf: (turn) => getRequest(`/v1/flags/${harbour.flag}?targetingKey=${turn}`),
      isRight: ({ status, body }) => status === 200 && body.includes('"enabled":true'),
    });
    const window = await fillWindow(stranger);
    const voyage = { harbour, server, client, stranger, model: new ClockModel(), window };
    await sail(voyage, random, jumps);
    await judgeCreations(voyage);
    await setTimeout(Math.max(0, window.notAfter + windowRealMs + 500 - performance.now()));
    const { status } = await stranger.send({ path: '/api/v1/token' });
    expect(status === 401, `a window that is over still refuses: ${status}`);
    await load.stop();
    const { wrong, unavailable, lost } = load.tally;
    expect(wrong.length + unavailable + lost === 0, `evaluations: ${JSON.stringify(load.tally)}`);
    await server.stop();
    const grave = server.lines.filter((line) => /"level":(50|60)\b/.test(line));
    expect(grave.length === 0, `the log has errors: ${grave.join('\n')}`);
    const checked = await runBurgee(['check', '--data-dir', harbour.dataDir]);
    expect(checked.code === 0, `the check after the end: ${checked.stdout}${checked.stderr}`);
    return judgeEmails(voyage);
  });
}

/** The wall clock of a real server jumps; its monotonic clock does not. */
export const clock: Campaign = {
  name: 'clock',
  summary:
    'the clock jumps an hour and a year both ways: expiry, trials, the 24 hours of denial emails and idempotency keys, windows and updatedAt behave as documented',
  sampleCount: 1,
  fullCount: 20,
  async run({ cases, isFull }) {
    const jumps = isFull ? 24 : 10;
    const counts = { servers: 0, jumps: 0, 'denial emails': 0 };
    for (const { random } of cases()) {
      counts['denial emails'] += await playCase(random, jumps);
      counts.servers += 1;
      counts.jumps += jumps;
    }
    return counts;
  },
};
