/**
 * Holds connections open in a process of its own. The first argument is an `IdleConnections` as JSON. It tells its
 * parent when all are open, and on request how many were closed; it resets them when told to end.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { HolderMessage, IdleConnections } from './idle-connections.ts';

const { origin, count, askEveryMs } = JSON.parse(process.argv[2] ?? '') as IdleConnections;
const { hostname, port, host } = new URL(origin);
const question = `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
/** How many are opened at once: fewer than any server's backlog. */
const openedAtOnce = 100;
const tickMs = 50;

const sockets: Socket[] = [];

function tell(message: HolderMessage): void {
  process.send?.(message);
}

function ask(socket: Socket): void {
  socket.write(question);
}

function isClosed(socket: Socket): boolean {
  return socket.destroyed || socket.readableEnded;
}

/** Waits for its first answer, because a connection in the server's backlog is not open yet. */
async function open(): Promise<void> {
  const socket = connect(Number(port), hostname).setNoDelay(true);
  sockets.push(socket);
  await once(socket, 'connect');
  ask(socket);
  const closed = once(socket, 'close').then(() => {
    throw new Error(`${origin} closed a connection without an answer`);
  });
  await Promise.race([once(socket, 'data'), closed]);
  // After an error it closes, and is counted then.
  socket.on('error', () => undefined).resume();
}

async function openAll(): Promise<void> {
  while (sockets.length < count) {
    const several = Math.min(openedAtOnce, count - sockets.length);
    await Promise.all(Array.from({ length: several }, open));
  }
}

/** Sends on a few connections at each tick, in turns, so that the server never gets requests from all at once. */
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
  if (message === 'tally') tell({ kind: 'tally', closed: sockets.filter(isClosed).length });
  else {
    // A reset leaves no port in TIME_WAIT: a run would otherwise use up all ports.
    for (const socket of sockets) socket.resetAndDestroy();
    setImmediate(() => process.disconnect());
  }
});
await openAll().catch((fault: Error) => {
  console.error(fault.message);
  process.exit(1);
});
keepAlive();
tell({ kind: 'open' });
