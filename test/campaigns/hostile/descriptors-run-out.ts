import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { eventually, expect } from '../../support/expectations.ts';
import { openFilesOf } from '../process-memory.ts';
import { getRequest, patchRequest, WireConnection } from '../wire-connection.ts';
import type { HostileStage } from './hostile-stage.ts';

const spare = 40;
const extra = 100;
/** Shorter than the service's time limit for a silent connection. */
const exhaustedMs = 1500;
const releasedWithinMs = 2000;
/** Time limit for a connection that waited in the listener's queue for a descriptor. */
const laterAnswerMs = 5000;

/**
 * Uses up the descriptors, by lowering the limit after the service has read it. Connected clients are served, and new
 * ones are once descriptors are free again.
 */
export async function descriptorsRunOut(stage: HostileStage): Promise<number> {
  const { server, load, project, context } = stage;
  const rounds = context.isFull ? 5 : 2;
  await setTimeout(200);
  for (let round = 1; round <= rounds; round += 1) {
    const changer = await WireConnection.open(server.port);
    const limit = openFilesOf(server.pid) + spare;
    setLimit(server.pid, limit);
    const sockets = Array.from({ length: spare + extra }, () => openQuietly(server.port));
    await eventually(
      () => openFilesOf(server.pid) >= limit - 1,
      laterAnswerMs,
      'the descriptors did not run out',
    );
    load.restart();
    await setTimeout(exhaustedMs);
    const { answered, slowestMs } = load.tally;
    expect(answered > 0, 'connected clients are not served without descriptors');
    context.note(`without descriptors ${answered} were answered, the slowest in ${Math.round(slowestMs)} ms`);
    await expectChange(changer, stage);
    changer.destroy();
    for (const socket of sockets) socket.destroy();
    const opened = performance.now();
    const connection = await WireConnection.open(server.port);
    const answer = await connection.ask(getRequest(`/v1/flags/${project.flags[0]}`));
    const tookMs = performance.now() - opened;
    connection.destroy();
    expect(answer.status === 200, `after the descriptors were released: ${answer.status}`);
    expect(tookMs < releasedWithinMs, `the first new connection waited ${Math.round(tookMs)} ms`);
    await eventually(
      () => openFilesOf(server.pid) < limit - spare / 2,
      laterAnswerMs,
      'descriptors are not released',
    );
  }
  return rounds;
}

/** A change on an open connection needs no further descriptor. */
async function expectChange(connection: WireConnection, { project }: HostileStage): Promise<void> {
  const path = `/api/v1/flags/${project.flags[0]}`;
  const { status, body } = await connection.ask(patchRequest(path, project.secret, { enabled: true }));
  expect(status === 200, `a change without descriptors: ${status} ${body}`);
}

function setLimit(pid: number, limit: number): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`], {
    encoding: 'utf8',
  });
  expect(status === 0, `prlimit: ${stderr}`);
}

function openQuietly(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => socket.destroy());
  return socket;
}
