import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { CrowdOrder, CrowdWorkerData } from './crowd.ts';

/*
 * Many clients in a thread of their own. Each requests one path after another on a kept connection, or sends one
 * request and reads nothing, until the end.
 */
const { port, localAddress } = workerData as CrowdWorkerData;
const statuses = new Map<number, number>();
/** How long a client that reads nothing keeps its connection. */
const unreadMs = 8000;
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
  let answer = new AnswerEnd();
  const ask = (): void => {
    answer = new AnswerEnd();
    socket.write(requests[asked % requests.length] as string);
    asked += 1;
  };
  socket.on('connect', () => {
    ask();
    if (isReading) return;
    socket.pause();
    // It begins anew with what it does not read.
    const reopen = setTimeout(() => socket.destroy(), unreadMs);
    socket.on('close', () => clearTimeout(reopen));
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    sockets = sockets.filter((other) => other !== socket);
    if (!isOver) setTimeout(() => isOver || open(client, requests, isReading), 20);
  });
  socket.on('data', (piece: Buffer) => {
    if (!answer.isWhole(piece)) return;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    ask();
  });
}

const lastChunk = '0\r\n\r\n';

/** Finds the end of an answer of megabytes without keeping it. */
class AnswerEnd {
  status = 0;
  #head = '';
  /** The body's remaining length; null if it is chunked. */
  #bytesLeft: number | null = null;
  #tail = '';

  /** Takes the next piece of the answer. @returns whether it was the last one */
  isWhole(piece: Buffer): boolean {
    if (this.status > 0) return this.#takeBody(piece);
    this.#head += piece.toString('latin1');
    const end = this.#head.indexOf('\r\n\r\n') + 4;
    if (end < 4) return false;
    this.status = Number(this.#head.slice(9, 12));
    const declared = /\r\ncontent-length: *(\d+)/i.exec(this.#head.slice(0, end));
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(this.#head.slice(0, end));
    this.#bytesLeft = isChunked ? null : Number(declared?.[1] ?? 0);
    return this.#takeBody(Buffer.from(this.#head.slice(end), 'latin1'));
  }

  #takeBody(bytes: Buffer): boolean {
    if (this.#bytesLeft !== null) {
      this.#bytesLeft -= bytes.length;
      return this.#bytesLeft <= 0;
    }
    this.#tail = (this.#tail + bytes.subarray(-lastChunk.length).toString('latin1')).slice(-lastChunk.length);
    return this.#tail === lastChunk;
  }
}

function end(): void {
  isOver = true;
  for (const socket of sockets) socket.destroy();
  parentPort?.postMessage(Object.fromEntries(statuses));
}
