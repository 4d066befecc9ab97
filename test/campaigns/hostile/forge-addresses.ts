import { bootServer } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import { openRawConnection, rawRequest } from '../../support/raw-request.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { getRequest } from '../wire-connection.ts';
import type { HostileStage } from './hostile-stage.ts';

const failuresMax = 20;
const attempts = failuresMax + 10;
const proxy = '127.0.0.9';
const stranger = '127.0.0.10';

/** Addresses claimed by an untrusted client have no effect; those from a declared proxy count. */
export async function forgeAddresses(stage: HostileStage): Promise<number> {
  const { server } = stage;
  await expectLimited(stage, server.port, '127.0.0.11', forgedHeader);
  await expectLimited(stage, server.port, '127.0.0.12', proxyVersion2);
  await expectRefused(stage, server.port, '127.0.0.13', proxyVersion1);
  const warned = server.lines.filter((line) => line.includes('is not a trusted proxy'));
  expect(warned.length === 1, `${warned.length} warnings about forged addresses, not one a minute`);
  const trusting = await bootServer(stage, {
    dataDir: temporaryDirectory(stage),
    settings: { BURGEE_TRUSTED_PROXIES: proxy, BURGEE_FAILED_AUTHENTICATION_LIMIT: String(failuresMax) },
  });
  await expectLimited(stage, trusting.port, stranger, forgedHeader);
  const statuses = await statusesOf(stage, trusting.port, proxy, forgedHeader);
  expect(!statuses.includes(429), 'clients behind a declared proxy share one limit');
  await expectLimited(stage, trusting.port, proxy, (attempt) => [
    `GET /api/v1/token HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.9.9.${attempt}, 192.0.2.1\r\n\r\n`,
  ]);
  await trusting.stop();
  return attempts * 6;
}

type Forge = (attempt: number) => readonly (string | Buffer)[];

const forgedHeader: Forge = (attempt) => [
  `GET /api/v1/token HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 198.51.100.${attempt}\r\n\r\n`,
];

const proxyVersion1: Forge = (attempt) => [
  `PROXY TCP4 198.51.100.${attempt} 127.0.0.1 50000 80\r\n`,
  getRequest('/api/v1/token'),
];

const proxyVersion2: Forge = (attempt) => {
  const header = Buffer.from('0d0a0d0a000d0a515549540a2111000cc6336400c633640100500050', 'hex');
  header[19] = attempt;
  return [header, getRequest('/api/v1/token')];
};

async function statusesOf(
  stage: HostileStage,
  port: number,
  address: string,
  forge: Forge,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const bytes = Buffer.concat(forge(attempt).map((piece) => Buffer.from(piece)));
    statuses.push((await rawRequest(stage, port, bytes, address))?.status ?? 0);
  }
  return statuses;
}

/** Expects a closed connection, or answers that end in 429, because the socket's address counts. */
async function expectLimited(
  stage: HostileStage,
  port: number,
  address: string,
  forge: Forge,
): Promise<void> {
  const statuses = await statusesOf(stage, port, address, forge);
  const wasServed = statuses.some((status) => status === 401);
  expect(wasServed || forge !== forgedHeader, `a header that does not count: ${statuses.join()}`);
  expect(
    !wasServed || statuses.at(-1) === 429,
    `claimed addresses have limits of their own: ${statuses.join()}`,
  );
}

async function expectRefused(
  stage: HostileStage,
  port: number,
  address: string,
  forge: Forge,
): Promise<void> {
  const connection = await openRawConnection(stage, port, address);
  for (const piece of forge(1)) connection.write(piece);
  const answer = await connection.response();
  expect(answer === null || [400, 401, 505].includes(answer.status), `a PROXY line: ${answer?.status}`);
  connection.destroy();
}
