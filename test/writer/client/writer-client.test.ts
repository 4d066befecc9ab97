import { MessageChannel } from 'node:worker_threads';
import t from 'tap';
import type { ApiCall } from '../../../src/operations/call.ts';
import { monotonicMs } from '../../../src/support/monotonic-clock.ts';
import { WriterClient } from '../../../src/writer/client/writer-client.ts';
import { pulseBytes } from '../../../src/writer/client/writer-protocol.ts';

const deadlineMs = 1000;
const call: ApiCall = {
  ...{ api: 'management', requestId: 'request', operation: 'patch-flag', params: {}, query: '' },
  ...{ credential: null, address: '192.0.2.1', userAgent: '' },
  ...{ header: null, body: null, isBodyTooLarge: false },
};

t.test('what a change has waited before it is sent counts toward its deadline', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => {
    port1.close();
    port2.close();
  });
  const client = new WriterClient(port1, new SharedArrayBuffer(pulseBytes), deadlineMs);
  const now = monotonicMs();
  const told: string[] = [];
  const writes = [
    client.write(call).then(({ kind }) => told.push(`new: ${kind}`)),
    client.write({ ...call, askedAt: now - 900 }).then(({ kind }) => told.push(`old: ${kind}`)),
  ];
  client.expire(now + 500);
  await Promise.resolve();
  t.strictSame(told, ['old: dropped'], 'though it was sent after the other one');
  client.expire(monotonicMs() + 2 * deadlineMs);
  await Promise.all(writes);
  t.strictSame(told, ['old: dropped', 'new: dropped']);
});
