/**
 * Holds streams open in its own process. The first argument is a `HeldStreams` as JSON. It sends its parent a message when
 * each stream has its snapshot. On `change` it changes a flag, and reports when each stream had the change. On `end` it
 * resets the streams.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { percentile } from './percentile.ts';
import { changesOfRound, type HeldStreams, type StreamsMessage } from './sync-streams.ts';

const { origin, count, project, flagdPort, token, flag } = JSON.parse(process.argv[2] ?? '') as HeldStreams;
const { hostname, port, host } = new URL(origin);
const openedAtOnce = 100;
const pauseMs = 200;

const question = [
  `GET /sync/v1/${project} HTTP/1.1`,
  `Host: ${host}`,
  'Accept: text/event-stream',
  `Authorization: Bearer ${token}`,
  '\r\n',
].join('\r\n');
const sockets: Socket[] = [];
const clients: Client[] = [];
/** Without it all clients of a process would share one connection. */
const ownConnection = { 'grpc.use_local_subchannel_pool': 1 };
/** When each stream received the present change. */
let arrivals: number[] = [];
let onAll: () => void = () => undefined;

function send(message: StreamsMessage): void {
  process.send?.(message);
}

async function open(): Promise<void> {
  const socket = connect(Number(port), hostname).setNoDelay(true);
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(question);
  let isOpen = false;
  await new Promise<void>((resolve, reject) => {
    socket.on('close', () => reject(new Error(`${origin} closed a stream`)));
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      if (!isOpen && bytes.includes('event: snapshot')) {
        isOpen = true;
        resolve();
      } else if (bytes.includes('event: delta')) arrive();
    });
  });
}

/** Opens a stream as flagd's providers do. Each message is a whole configuration. */
async function openOfFlagd(port: number): Promise<void> {
  const client = new Client(`${hostname}:${port}`, credentials.createInsecure(), ownConnection);
  clients.push(client);
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  // A message whose second field is the selector.
  const request = Buffer.from([(2 << 3) | 2, project.length, ...Buffer.from(project)]);
  const asIs = (bytes: Buffer): Buffer => bytes;
  const method = '/flagd.sync.v1.FlagSyncService/SyncFlags';
  const call = client.makeServerStreamRequest(method, asIs, asIs, request, metadata);
  let isOpen = false;
  await new Promise<void>((resolve, reject) => {
    call.on('error', reject);
    call.on('data', () => {
      if (isOpen) arrive();
      isOpen = true;
      resolve();
    });
  });
}

function arrive(): void {
  arrivals.push(performance.now());
  if (arrivals.length === count) onAll();
}

/** @returns milliseconds from the acknowledgement to the arrival at each stream */
async function change(percentage: number): Promise<number[]> {
  arrivals = [];
  const all = new Promise<void>((resolve) => {
    onAll = resolve;
  });
  const answer = await fetch(`${origin}/api/v1/flags/${flag}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ trafficPercentage: percentage }),
  });
  const acknowledgedAt = performance.now();
  if (answer.status !== 200) throw new Error(await answer.text());
  await all;
  return arrivals.map((at) => Math.max(0, at - acknowledgedAt));
}

async function changeOften(): Promise<void> {
  const delays: number[] = [];
  const lasts: number[] = [];
  for (let round = 1; round <= changesOfRound; round += 1) {
    const arrived = await change(round);
    delays.push(...arrived);
    lasts.push(Math.max(...arrived));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  send({
    kind: 'changed',
    p50Ms: percentile(delays, 0.5),
    p99Ms: percentile(delays, 0.99),
    allMs: percentile(lasts, 0.99),
  });
}

async function openAll(): Promise<void> {
  for (let opened = 0; opened < count; opened += openedAtOnce) {
    const several = Math.min(openedAtOnce, count - opened);
    const openOne = flagdPort === null ? open : () => openOfFlagd(flagdPort);
    await Promise.all(Array.from({ length: several }, openOne));
  }
}

function fail(fault: Error): never {
  console.error(fault.message);
  process.exit(1);
}

process.once('disconnect', () => process.exit());
process.on('message', (message: 'change' | 'end') => {
  if (message === 'change') changeOften().catch(fail);
  else {
    // A reset leaves no port in TIME_WAIT.
    for (const socket of sockets) socket.resetAndDestroy();
    for (const client of clients) client.close();
    setImmediate(() => process.exit());
  }
});
await openAll().catch(fail);
send({ kind: 'open' });
