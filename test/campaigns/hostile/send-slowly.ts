import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually, expect } from '../../support/expectations.ts';
import { openRawConnection } from '../../support/raw-request.ts';
import { openFilesOf } from '../process-memory.ts';
import type { HostileStage } from './hostile-stage.ts';

const connections = { full: 1000, sample: 200 };
const attackSeconds = { full: 30, sample: 5 };
const ownSockets = 40;
const dripMs = 100;
/** The service closes incomplete requests: idle and slow ones after some 10 s, a slow body at its deadline. */
const patienceMs = 20_000;

/** Headers and bodies that arrive byte by byte are cut off, and delay no other client. */
export async function sendSlowly(stage: HostileStage): Promise<number> {
  const { server, context, load } = stage;
  // The normal load's connections are open by then.
  await eventually(() => load.tally.answered > 100, patienceMs, 'the normal load does not begin');
  const before = openFilesOf(server.pid);
  load.restart();
  const drips = dripMany(stage);
  const send = async (mode: string): Promise<void> => {
    await runSlowHttpTest(stage, [mode]);
    expect(load.tally.answered > 0, 'the normal load continues');
  };
  const modes = ['-H', '-B'];
  if (context.isFull) for (const mode of modes) await send(mode);
  else await Promise.all(modes.map(send));
  await drips;
  const isReleased = (): boolean => openFilesOf(server.pid) <= before + 2;
  const message = `of slow connections more than ${before} descriptors are left`;
  await eventually(isReleased, patienceMs, message);
  const slowestMs = Math.round(load.tally.slowestMs);
  context.note(`beside slow senders the slowest of ${load.tally.answered} answers took ${slowestMs} ms`);
  return (context.isFull ? connections.full : connections.sample) * 2 + ownSockets;
}

async function runSlowHttpTest(
  { server, context, project }: HostileStage,
  mode: readonly string[],
): Promise<void> {
  const size = context.isFull ? 'full' : 'sample';
  const url = `http://127.0.0.1:${server.port}/api/v1/flags/${project.flags[0]}`;
  const count = ['-c', `${connections[size]}`, '-r', '400', '-l', `${attackSeconds[size]}`];
  const arguments_ = [...mode, ...count, '-i', '1', '-x', '8', '-p', '3', '-u', url];
  const child = spawn('slowhttptest', arguments_, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text.toString('latin1');
  });
  await once(child, 'close');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the program's output has colours
  const plain = output.replace(/\u001b\[[0-9;]*m/g, '');
  const available = [...plain.matchAll(/service available: *(YES|NO)/g)].map(([, answer]) => answer);
  expect(available.length > 0, `slowhttptest ${mode.join(' ')} says nothing: ${plain.slice(-400)}`);
  expect(!available.includes('NO'), `slowhttptest ${mode.join(' ')} found the service unavailable`);
}

/** The test's own sockets, with requests that slowhttptest does not send. */
async function dripMany(stage: HostileStage): Promise<void> {
  await Promise.all(Array.from({ length: ownSockets }, (_, index) => dripOne(stage, index)));
}

async function dripOne(stage: HostileStage, index: number): Promise<void> {
  const { server, project } = stage;
  const head = `POST /api/v1/flags HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${project.secret}\r\n`;
  const text = index % 2 === 0 ? `${head}Content-Length: 50000\r\n\r\n` : `${head}X-Slow: `;
  const connection = await openRawConnection(stage, server.port);
  connection.write(text);
  const startedAt = performance.now();
  while (!connection.isClosed() && performance.now() - startedAt < patienceMs) {
    connection.write(' ');
    if ((await connection.response(dripMs)) !== null) break;
  }
  const tookMs = performance.now() - startedAt;
  connection.destroy();
  expect(tookMs < patienceMs, `a dripping connection was kept for ${Math.round(tookMs)} ms`);
}
