import { MessageChannel } from 'node:worker_threads';
import t from 'tap';
import { linkCells, type WriterCommand } from '../../../src/writer/client/writer-protocol.ts';
import type { QueuedCommand } from '../../../src/writer/thread/decide-group.ts';
import { sendResults, WriterClients } from '../../../src/writer/thread/writer-clients.ts';

const command = (ticket: number): WriterCommand => ({
  kind: 'touch-session',
  ticket,
  deadline: 0,
  sessionId: '',
});

t.test('commands of several clients are taken in the order in which they were sent', async (t) => {
  const seen: QueuedCommand[] = [];
  const clients = new WriterClients((commands) => seen.push(...commands));
  const ports = Array.from({ length: 3 }, () => {
    const { port1, port2 } = new MessageChannel();
    clients.connect(port1, new SharedArrayBuffer(4 * linkCells));
    return port2;
  });
  t.teardown(() => {
    clients.close();
    for (const port of ports) port.close();
  });
  // Around the largest stamp, and by each port in another order than that of the ports.
  const order = [2, 0, 1, 1, 0, 2, 0];
  for (const [index, port] of order.entries())
    ports[port]?.postMessage({ stamp: (2 ** 31 - 4 + index) | 0, commands: [command(index + 1)] });
  clients.receiveRest();
  t.strictSame(
    seen.map((queued) => queued.command.ticket),
    [1, 2, 3, 4, 5, 6, 7],
  );

  const results = Promise.all(
    ports.map((port) => new Promise<unknown>((resolve) => port.once('message', resolve))),
  );
  sendResults(seen.map((queued) => [queued, { kind: 'recorded' }] as const));
  const tickets = ((await results) as [number, unknown][][]).map((own) => own.map(([ticket]) => ticket));
  t.strictSame(
    tickets,
    [
      [2, 5, 7],
      [3, 4],
      [1, 6],
    ],
    'each client gets the results of its own',
  );
});
