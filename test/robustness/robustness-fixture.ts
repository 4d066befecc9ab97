import { connect } from 'node:net';
import type { Test } from 'tap';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import type { Settings } from '../support/burgee-command.ts';
import { createHttpClient } from '../support/http-client.ts';
import { type LatencyProbe, startLatencyProbe } from '../support/latency-probe.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A service with one project and a flag that is on. */
export interface Besieged {
  readonly server: BootedServer;
  readonly project: string;
  readonly flag: string;
  readonly token: string;
}

const document = {
  organisations: [
    {
      name: 'Fort',
      plan: 'enterprise',
      projects: [
        {
          name: 'fort',
          flags: [{ name: 'flag', enabled: true, trafficPercentage: 100 }],
          tokens: [{ name: 'ci', permission: 'write' }],
        },
      ],
    },
  ],
};

export async function besiege(t: Test, settings: Settings = {}): Promise<Besieged> {
  const dataDir = temporaryDirectory(t);
  const project = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'fort');
  const flag = idOf(project.flags, 'flag');
  const token = tokenOf(project, 'ci').secret;
  const server = await bootServer(t, {
    dataDir,
    settings: { BURGEE_MANAGEMENT_RATE_LIMIT: '100000000', ...settings },
  });
  return { server, project: project.id, flag, token };
}

/** A besieged service whose answers to others are timed: hundreds a second. */
export interface Watched extends Besieged {
  readonly probe: LatencyProbe;
}

export async function besiegeAndWatch(t: Test, settings: Settings = {}): Promise<Watched> {
  const besieged = await besiege(t, settings);
  const { server, flag, token } = besieged;
  const authorization = `Authorization: Bearer ${token}`;
  const probe = await startLatencyProbe(t, [
    { name: 'evaluation', port: server.port, request: get(`/v1/flags/${flag}?targetingKey=probe`) },
    { name: 'management', port: server.port, request: get('/api/v1/token', authorization) },
  ]);
  return { ...besieged, probe };
}

/** A GET, encoded for the wire. */
export function get(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n');
}

/** A request with a body, encoded for the wire. */
export function withBody(line: string, body: string, ...headers: string[]): string {
  const head = [
    `${line} HTTP/1.1`,
    'Host: localhost',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Sends the head of a request and a part of its body. Resolves once the kernel has taken it. */
export async function beginBody(
  t: Test,
  port: number,
  from: string,
  path: string,
  sent: number,
): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  t.teardown(() => socket.destroy());
  socket.on('error', () => undefined);
  const origin = `http://127.0.0.1:${port}`;
  const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', `Origin: ${origin}`, 'X-Burgee-Console: 1'];
  const head = [
    ...lines,
    'Content-Type: application/json',
    `Content-Length: ${sent === 0 ? 100 : 65_536}`,
    '',
    '',
  ].join('\r\n');
  await new Promise<void>((resolve) => socket.write(head, () => resolve()));
  if (sent > 0) await new Promise<void>((resolve) => socket.write('{'.padEnd(sent, ' '), () => resolve()));
}

let addressesGiven = 0;

/** An unused source address, so that failed authentications of one attack do not limit the next. */
export function nextAddress(): string {
  addressesGiven += 1;
  return `127.100.${addressesGiven >> 7}.${1 + (addressesGiven & 127)}`;
}

export async function assertAlive(t: Test, { server, flag }: Besieged): Promise<void> {
  const client = createHttpClient(t, { port: server.port });
  const { status, text } = await client.send({ path: `/v1/flags/${flag}` });
  t.equal(status, 200);
  t.match(JSON.parse(text), { enabled: true });
}
