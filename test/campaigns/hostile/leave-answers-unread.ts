import { setTimeout } from 'node:timers/promises';
import { bootServer, unlimited } from '../../support/booted-server.ts';
import { expect } from '../../support/expectations.ts';
import { openRawConnection, type RawConnection } from '../../support/raw-request.ts';
import { provisionProject } from '../campaign-project.ts';
import { inMegabytes, ownBytesOf } from '../process-memory.ts';
import { getRequest, WireConnection } from '../wire-connection.ts';
import type { HostileStage } from './hostile-stage.ts';

const clients = { full: 400, sample: 120 };
/** Six flags of almost a megabyte: their list does not fit the sockets' buffers. */
const flags = 6;
const cohorts = Array.from({ length: 4000 }, (_, index) => String(index).padStart(250, 'c'));
/** The limit of memory for unread answers and for making them. */
const growthMaxBytes = 384 * 1024 * 1024;
/** Shorter than the service's time limit for a client that reads nothing. */
const readsNothingMs = 8000;
const lookIntervalMs = 100;
/** The worker makes earlier answers first: their number bounds how long that takes. */
const servedAgainWithinMs = 30_000;

/** Unread long answers take bounded memory; beyond the bound the next request gets a 503. */
export async function leaveAnswersUnread(stage: HostileStage): Promise<number> {
  const { context } = stage;
  const project = await provisionProject(stage, { flags, state: { enabled: true, cohorts } });
  const server = await bootServer(stage, { dataDir: project.dataDir, settings: unlimited });
  const request = getRequest('/api/v1/flags', project.secret);
  expect((await statusOf(server.port, request)) === 200, 'a client that reads gets its answer');
  const before = ownBytesOf(server.pid);
  const wanted = context.isFull ? clients.full : clients.sample;
  const opened: RawConnection[] = [];
  for (let client = 1; client <= wanted; client += 1) {
    const connection = await openRawConnection(stage, server.port);
    connection.pause();
    connection.write(request);
    opened.push(connection);
  }
  let grown = 0;
  for (let waitedMs = 0; waitedMs < readsNothingMs; waitedMs += lookIntervalMs) {
    await setTimeout(lookIntervalMs);
    grown = Math.max(grown, ownBytesOf(server.pid) - before);
  }
  context.note(`${wanted} clients that read nothing: ${inMegabytes(grown)} MB more`);
  expect(grown < growthMaxBytes, `unread answers take ${inMegabytes(grown)} MB`);
  for (const connection of opened) connection.destroy();
  const givesUpAt = performance.now() + servedAgainWithinMs;
  for (let status = 0; status !== 200; ) {
    status = await statusOf(server.port, request);
    const isInTime = status === 200 || performance.now() < givesUpAt;
    expect(isInTime, `a client that reads gets ${status} after the others are gone`);
  }
  await server.stop();
  return wanted;
}

/** On a new connection, because the service closes one that is silent for as long as the others take. */
async function statusOf(port: number, request: string): Promise<number> {
  const connection = await WireConnection.open(port);
  const { status } = await connection.ask(request);
  connection.destroy();
  return status;
}
