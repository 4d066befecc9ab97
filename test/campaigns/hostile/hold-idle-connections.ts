import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { eventually, expect, percentileOf } from '../../support/expectations.ts';
import { openFilesOf } from '../process-memory.ts';
import type { HostileStage } from './hostile-stage.ts';

const idle = { full: 10_000, sample: 1000 };
const openingAtOnce = 200;
const p99RatioMax = 1.2;
/** Shorter than the service's time limit for a silent connection, which is about 10 s. */
const measuredMs = 5000;
const rounds = 3;
/** A p99 of fewer is no p99. */
const answersMin = 100;
/** How long a sample, which runs beside other tests, waits for them: the silent connections must be open still. */
const answersWithinMs = 8000;
/** Pause after many connections were opened or closed. */
const settleMs = 500;

/** Many silent connections delay no other client. */
export async function holdIdleConnections(stage: HostileStage): Promise<number> {
  const { load, context, server } = stage;
  const wanted = context.isFull ? idle.full : idle.sample;
  const ratios: number[] = [];
  for (let round = 1; round <= (context.isFull ? rounds : 1); round += 1) {
    const alone = await measureP99(load, context.isFull ? measuredMs : 1000);
    const sockets = await openIdle(server.port, wanted);
    const held = openFilesOf(server.pid);
    expect(held >= wanted, `the service holds ${held} descriptors, not ${wanted}`);
    const beside = await measureP99(load, context.isFull ? measuredMs : 1000);
    for (const socket of sockets) socket.destroy();
    ratios.push(beside / alone);
    context.note(
      `p99 ${alone.toFixed(2)} ms alone, ${beside.toFixed(2)} ms beside ${wanted} idle connections`,
    );
  }
  const best = Math.min(...ratios);
  if (context.isFull)
    expect(best <= p99RatioMax, `p99 beside idle connections is ${best.toFixed(2)} times as high`);
  return wanted;
}

async function measureP99(load: HostileStage['load'], durationMs: number): Promise<number> {
  await setTimeout(settleMs);
  load.durationsMs.length = 0;
  await setTimeout(durationMs);
  const isEnough = (): boolean => load.durationsMs.length > answersMin;
  await eventually(isEnough, answersWithinMs - durationMs, 'the normal load continues');
  return percentileOf(load.durationsMs, 99);
}

async function openIdle(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const batch = Math.min(openingAtOnce, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: batch }, () => openOne(port)))));
  }
  return sockets;
}

function openOne(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(socket));
    socket.on('error', reject);
  });
}
