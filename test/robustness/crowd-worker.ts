import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { CrowdOrder, CrowdWorkerData } from './crowd.ts';

/*
 * Many clients in a thread of their own. Each asks for one path after the other on a kept connection, or asks once and
 * reads nothing, until it is told to stop.
 */
const { port, localAddress } = workerData as CrowdWorkerData;
const longMax = 256 * 1024;
const statuses = new Map<number, number>();
let sockets: Socket[] = [];
let isOver = true;

parentPort?.on('message', (order: CrowdOrder) => {
  if (order.kind === 'begin') begin(order);
  else end();
});

function begin({ clients, requests, isReading }: Extract<CrowdOrder, { kind: 'begin' }>): void {
  isOver = false;
  statuses.clear();
  for (let client = 0; client < clients; client += 1) open(client, requests, isReading);
}

function open(client: number, requests: readonly string[], isReading: boolean): void {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  sockets.push(socket);
  let asked = client;
  let received = '';
  const ask = (): void => {
    received = '';
    socket.write(requests[asked % requests.length] as string);
    asked += 1;
  };
  socket.setEncoding('latin1');
  socket.on('connect', () => {
    if (!isReading) socket.pause();
    ask();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    sockets = sockets.filter((other) => other !== socket);
    if (!isOver) setTimeout(() => isOver || open(client, requests, isReading), 20);
  });
  socket.on('data', (text: string) => {
    received += text;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = received.slice(0, headEnd);
    if (/\r\ntransfer-encoding: chunked/i.test(head)) {
      // Of a long answer nothing but the head and the end is kept.
      if (received.length > longMax)
        received = head + received.slice(headEnd, headEnd + 4) + received.slice(-16);
      if (!received.endsWith('0\r\n\r\n')) return;
    } else if (received.length < headEnd + 4 + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0))
      return;
    const status = Number(received.slice(9, 12));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    ask();
  });
}

function end(): void {
  isOver = true;
  for (const socket of sockets) socket.destroy();
  parentPort?.postMessage(Object.fromEntries(statuses));
}
