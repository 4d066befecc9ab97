import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { WireConnection } from '../wire-connection.ts';
import { FlagdConnection } from './attacks.ts';
import type { QuietAsk, QuietClientsData, QuietReading } from './quiet-clients.ts';

/*
 * Repeats each request on a kept connection, in a thread of its own, so that the work of the hostile clients in the
 * test's main thread does not count as a delay.
 */
const port = parentPort;
if (port === null) throw new Error('runs in a worker thread');
const { asks } = workerData as QuietClientsData;
let readings = asks.map(emptyReading);
/** When the request under way of each kind was sent; null between two. */
const sentAt: (number | null)[] = asks.map(() => null);
let isOver = false;
const loops = asks.map((ask, index) => keepAsking(ask, index));

port.on('message', (message: 'forget' | 'read' | 'stop') => {
  if (message === 'read') {
    // One that hangs counts with its age.
    const now = performance.now();
    for (const [index, sent] of sentAt.entries())
      if (sent !== null) readings[index]?.durationsMs.push(now - sent);
    port.postMessage(readings);
  }
  if (message === 'stop') isOver = true;
  readings = asks.map(emptyReading);
});
await Promise.all(loops);
port.close();

function emptyReading({ name }: QuietAsk): QuietReading {
  return { name, durationsMs: [], lost: 0, refused: [] };
}

async function keepAsking(ask: QuietAsk, index: number): Promise<void> {
  const Connection = ask.isFlagd ? FlagdConnection : WireConnection;
  let connection: FlagdConnection | WireConnection | null = null;
  for (let turn = 0; !isOver; turn += 1) {
    await setTimeout(ask.pauseMs);
    if (connection === null || connection.isLost) {
      connection?.destroy();
      connection = await Connection.open(ask.port, ask.address).catch(() => null);
    }
    const request = ask.requests[turn % ask.requests.length] ?? '';
    sentAt[index] = performance.now();
    const answer: Awaited<ReturnType<FlagdConnection['ask']>> | null =
      (await connection?.ask(request).catch(() => null)) ?? null;
    sentAt[index] = null;
    const reading = readings[index] as QuietReading;
    if (answer === null) reading.lost += 1;
    else if (answer.status === 200) reading.durationsMs.push(answer.durationMs);
    else reading.refused.push(`${answer.status} ${answer.body.slice(0, 200)}`);
  }
  connection?.destroy();
}
