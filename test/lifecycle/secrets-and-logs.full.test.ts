import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import { bearer, type ClientRequest, type ClientResponse, createHttpClient } from '../support/http-client.ts';
import { provision } from '../support/provisioning.ts';
import { rawRequest } from '../support/raw-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { provisionOne } from './lifecycle-fixture.ts';

/* Logs and data files hold none of a thousand issued tokens; each management request has one log line. */
t.setTimeout(120_000);
const projectCount = 20;
const tokensEach = 50;

interface Issued {
  readonly flag: string;
  readonly secrets: readonly string[];
}

t.test('logs and data files hold none of 1,000 secrets', async (t) => {
  const dataDir = temporaryDirectory(t);
  const projects = Array.from({ length: projectCount }, (_, index) => ({
    name: `project ${index}`,
    flags: [{ name: 'flag' }],
    tokens: Array.from({ length: tokensEach }, (_, token) => ({
      name: `token ${token}`,
      permission: 'write',
    })),
  }));
  const document = { organisations: [{ name: 'Vault', plan: 'enterprise', projects }] };
  const provisioned = await provision(dataDir, temporaryDirectory(t), document);
  const issued: Issued[] = Object.values(provisioned.projects).map(({ flags, tokens }) => ({
    flag: flags['flag'] ?? '',
    secrets: Object.values(tokens).map(({ secret }) => secret ?? ''),
  }));
  const secrets = issued.flatMap((project) => project.secrets);
  t.equal(new Set(secrets).size, projectCount * tokensEach);
  t.ok(
    secrets.every((secret) => /^burgee_[0-9A-Za-z]{49}$/.test(secret)),
    'the form of secrets',
  );

  const settings = { ...unlimited, BURGEE_LOG_LEVEL: 'trace' };
  const server = await bootServer(t, { dataDir, settings });
  await useEverywhere(t, server, issued);
  await server.stop();

  const found = findSecrets(secrets, server, dataDir);
  t.same(found, [], `nothing in ${server.lines.length} log lines and in ${filesIn(dataDir).length} files`);
  t.ok(server.lines.length > secrets.length, 'the requests were logged');
});

t.test('one log line for each management request', async (t) => {
  const { dataDir, flag, secret, tokenId } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const client = createHttpClient(t, { port: server.port });
  const headers = bearer(secret);
  const path = `/api/v1/flags/${flag}`;
  const requests: readonly (readonly [ClientRequest, number, string | null, RegExp])[] = [
    [{ path: '/api/v1/token', headers }, 200, tokenId, /token/],
    [{ path: '/api/v1/flags', headers }, 200, tokenId, /flags/],
    [{ path, headers }, 200, tokenId, /flags\/\{id\}|read-flag/],
    [{ method: 'PATCH', path, headers, body: '{"enabled":true}' }, 200, tokenId, /flags\/\{id\}|patch-flag/],
    [
      { method: 'POST', path: '/api/v1/flags', headers, body: '{"name":"x"}' },
      201,
      tokenId,
      /flags|create-flag/,
    ],
    [{ method: 'PATCH', path, headers, body: '{' }, 400, tokenId, /flags\/\{id\}|patch-flag/],
    [{ path: '/api/v1/token' }, 401, null, /token/],
    [{ path: `/api/v1/flags/${'A'.repeat(20)}`, headers }, 404, tokenId, /flags\/\{id\}|read-flag/],
  ];
  const answers: ClientResponse[] = [];
  for (const [request] of requests) answers.push(await client.send(request));
  await server.stop();
  for (const [index, [, status, token, route]] of requests.entries()) {
    const requestId = answers[index]?.headers.get('x-request-id') ?? 'none';
    const lines = server.lines.filter((line) => line.includes(requestId));
    t.equal(lines.length, 1, `one line for ${requestId}`);
    const line = JSON.parse(lines[0] ?? '{}') as Record<string, unknown>;
    t.match(line, { requestId, status });
    t.equal(line['tokenId'] ?? null, token);
    t.match(String(line['route']), route);
    t.type(line['durationMs'], 'number');
    t.equal(answers[index]?.status, status);
  }
});

t.test('a log line has the trace and the request id of its caller', async (t) => {
  const { dataDir, secret } = await provisionOne(t);
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const client = createHttpClient(t, { port: server.port });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const named = { traceparent, 'x-request-id': 'edge-4711' };
  const paths = ['/api/v1/token', '/api/v1/flags/none', '/console/api/session'];
  const requests: readonly (readonly [string, Record<string, string>, object])[] = [
    ...paths.map((path) => [path, named, { traceId, clientRequestId: 'edge-4711' }] as const),
    ['/api/v1/token', { traceparent: `${traceparent}-x` }, { traceId: undefined }],
    ['/api/v1/token', { 'x-request-id': 'y'.repeat(129) }, { clientRequestId: undefined }],
    ['/api/v1/token', { 'x-request-id': '", "status": 0' }, { clientRequestId: undefined }],
    ['/api/v1/token', {}, { traceId: undefined, clientRequestId: undefined }],
  ];
  const ids: string[] = [];
  for (const [path, headers] of requests) {
    const isManagement = path.startsWith('/api/');
    const { headers: answered } = await client.send({
      path,
      headers: isManagement ? { ...bearer(secret), ...headers } : headers,
    });
    ids.push(answered.get('x-request-id') ?? 'none');
  }
  t.equal(new Set(ids).size, requests.length, "an answer's id is its own");
  await server.stop();
  for (const [index, [path, , expected]] of requests.entries()) {
    const [line = '{}'] = server.lines.filter((each) => each.includes(`"requestId":"${ids[index]}"`));
    const fields = JSON.parse(line) as Record<string, unknown>;
    t.equal(fields['requestId'], ids[index], path);
    for (const [name, value] of Object.entries(expected)) t.equal(fields[name], value, `${path} ${name}`);
  }
});

/** Sends every token once correctly, and in every wrong place and form. */
async function useEverywhere(t: Test, server: BootedServer, issued: readonly Issued[]): Promise<void> {
  const client = createHttpClient(t, { port: server.port, connectionsMax: 16 });
  const send = async (request: ClientRequest): Promise<void> => {
    const { status } = await client.send(request);
    if (status >= 500) t.fail(`${request.path}: ${status}`);
  };
  for (const { flag, secrets } of issued) {
    const uses = secrets.flatMap((secret, index) => usesOf(secret, flag, index));
    await Promise.all(uses.map(send));
  }
  const [secret = ''] = issued[0]?.secrets ?? [];
  const raw = [
    `GET /api/v1/token HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\x01\r\n\r\n`,
    `GET /api/v1/token HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}${'x'.repeat(20_000)}\r\n\r\n`,
    `GET /${secret} HTTP/1.0\r\n\r\n`,
    `POST /api/v1/flags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Length: x\r\n\r\n`,
  ];
  for (const bytes of raw) await rawRequest(t, server.port, bytes);
}

function usesOf(secret: string, flag: string, index: number): ClientRequest[] {
  const path = '/api/v1/token';
  const malformed = [
    secret,
    `Basic ${secret}`,
    `Bearer ${secret}x`,
    `Bearer ${secret} ${secret}`,
    `Bearer other_${secret}`,
    `Bearer ${secret.slice(secret.lastIndexOf('_') + 1)}`,
  ];
  return [
    { path, headers: bearer(secret) },
    {
      method: 'PATCH',
      path: `/api/v1/flags/${flag}`,
      headers: bearer(secret),
      body: `{"trafficPercentage":${index}}`,
    },
    { method: 'PATCH', path: `/api/v1/flags/${flag}`, headers: bearer(secret), body: `{"${secret}":1}` },
    { path, headers: { authorization: malformed[index % malformed.length] ?? '' } },
    { path: `${path}?token=${secret}` },
    { path: `/api/v1/flags/${secret}`, headers: bearer(secret) },
    { path: `/api/v1/${secret}`, headers: bearer(secret) },
    { path: `/v1/flags/${flag}?cohort=${secret}`, headers: bearer(secret) },
  ];
}

/** @returns the places of a secret or of its random part */
function findSecrets(secrets: readonly string[], server: BootedServer, dataDir: string): string[] {
  const length = 43;
  const parts = new Set(secrets.map((secret) => secret.slice(-49, -49 + length)));
  const holds = (text: string): boolean => {
    for (const [run] of text.matchAll(/[0-9A-Za-z]{43,}/g)) {
      for (let at = 0; at + length <= run.length; at += 1)
        if (parts.has(run.slice(at, at + length))) return true;
    }
    return false;
  };
  return [
    ...server.lines.filter(holds),
    ...filesIn(dataDir).filter((file) => holds(readFileSync(file, 'latin1'))),
  ];
}

function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
