/**
 * Holds connections open in its own process. The first argument is an `IdleConnections` as JSON. It sends its parent a
 * message when all are open, and the number of closed ones on request. On `end` it resets them.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { IdleConnections, IdleMessage } from './idle-connections.ts';

const { origin, count, askEveryMs } = JSON.parse(process.argv[2] ?? '') as IdleConnections;
const { hostname, port, host } = new URL(origin);
const question = `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
/** Connections that are opened at once: fewer than any server's backlog. */
const openedAtOnce = 100;
const tickMs = 50;

const sockets: Socket[] = [];

function send(message: IdleMessage): void {
  process.send?.(message);
}

function ask(socket: Socket): void {
  socket.write(question);
}

function isClosed(socket: Socket): boolean {
  return socket.destroyed || socket.readableEnded;
}

/** Waits for a first answer, because a connection in the server's backlog is not open yet. */
async function open(): Promise<void> {
  const socket = connect(Number(port), hostname).setNoDelay(true);
  sockets.push(socket);
  await once(socket, 'connect');
  ask(socket);
  const closed = once(socket, 'close').then(() => {
    throw new Error(`${origin} closed a connection without an answer`);
  });
  await Promise.race([once(socket, 'data'), closed]);
  // After an error the socket closes, and is counted as closed.
  socket.on('error', () => undefined).resume();
}

async function openAll(): Promise<void> {
  while (sockets.length < count) {
    const several = Math.min(openedAtOnce, count - sockets.length);
    await Promise.all(Array.from({ length: several }, open));
  }
}

/** Sends on a few connections at each tick, round robin, so that the server never gets requests from all at once. */
function keepAlive(): void {
  let next = 0;
  let due = 0;
  setInterval(() => {
    for (due += (count * tickMs) / askEveryMs; due >= 1; due -= 1) {
      const socket = sockets[next % count];
      if (socket !== undefined && !isClosed(socket)) ask(socket);
      next += 1;
    }
  }, tickMs);
}

process.once('disconnect', () => process.exit());
process.on('message', (message: 'tally' | 'end') => {
  if (message === 'tally') send({ kind: 'tally', closed: sockets.filter(isClosed).length });
  else {
    // A reset leaves no port in TIME_WAIT. Otherwise a run would use up all ports.
    for (const socket of sockets) socket.resetAndDestroy();
    setImmediate(() => process.disconnect());
  }
});
await openAll().catch((fault: Error) => {
  console.error(fault.message);
  process.exit(1);
});
keepAlive();
send({ kind: 'open' });
