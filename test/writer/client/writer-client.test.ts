import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { ApiCall } from '../../../src/operations/call.ts';
import { monotonicMs } from '../../../src/support/monotonic-clock.ts';
import { WriterClient } from '../../../src/writer/client/writer-client.ts';
import { begunCell, type ClientMessage, linkCells } from '../../../src/writer/client/writer-protocol.ts';
import { eventually } from '../../support/expectations.ts';

const deadlineMs = 1000;
const call: ApiCall = {
  ...{ api: 'management', requestId: 'request', operation: 'patch-flag', params: {}, query: '' },
  ...{ credential: null, address: '192.0.2.1', userAgent: '' },
  ...{ header: null, body: null },
};

/** A client whose writer the test plays. */
function connect(t: Test) {
  const { port1, port2 } = new MessageChannel();
  const cells = new Int32Array(new SharedArrayBuffer(4 * linkCells));
  const stamp = new SharedArrayBuffer(4);
  const client = new WriterClient(
    { port: port1, memory: cells.buffer, stamp },
    { deadlineMs, answerMs: null, commandsMax: 2, bytesMax: 100 },
  );
  t.teardown(() => {
    client.close();
    port2.close();
  });
  const outcomes: string[] = [];
  const write = (name: string, over: Partial<ApiCall> = {}) =>
    client.write({ ...call, ...over }).then(({ kind }) => outcomes.push(`${name}: ${kind}`));
  return { client, cells, outcomes, write, writer: port2 };
}

t.test('what a change has waited before it is sent counts toward its deadline', async (t) => {
  const { client, outcomes, write } = connect(t);
  const now = monotonicMs();
  const writes = [write('new'), write('old', { askedAt: now - 900 })];
  client.expire(now + 500);
  await Promise.resolve();
  t.strictSame(outcomes, ['old: dropped'], 'though it was sent after the other one');
  client.expire(monotonicMs() + 2 * deadlineMs);
  await Promise.all(writes);
  t.strictSame(outcomes, ['old: dropped', 'new: dropped']);
});

t.test('a client sends no more commands and bytes than it may, until it has results', async (t) => {
  const { client, outcomes, write, writer } = connect(t);
  const sent = once(writer, 'message') as Promise<[ClientMessage]>;
  const writes = [write('long', { body: new Uint8Array(101) }), write('one'), write('two'), write('three')];
  const [{ commands }] = await sent;
  t.strictSame(outcomes, ['long: overloaded', 'three: overloaded']);
  client.expire(monotonicMs() + 2 * deadlineMs);
  await write('four');
  t.strictSame(
    outcomes.slice(2),
    ['one: dropped', 'two: dropped', 'four: overloaded'],
    'the writer still has both',
  );
  writer.postMessage(commands.map(({ ticket }) => [ticket, { kind: 'dropped' }]));
  let hasRoom = false;
  writer.once('message', () => {
    hasRoom = true;
  });
  await eventually(
    () => {
      void write('five');
      return hasRoom;
    },
    5000,
    'the client has room again',
  );
  client.fail(false);
  await Promise.all(writes);
});

t.test('when the writer fails, what it has begun is unknown, and what it has decided is known', async (t) => {
  for (const mayBegin of [false, true]) {
    const { client, cells, outcomes, write, writer } = connect(t);
    const sent = once(writer, 'message');
    const writes = [write('begun'), write('waiting')];
    await sent;
    Atomics.store(cells, begunCell, 1);
    client.fail(mayBegin);
    await Promise.all(writes);
    t.strictSame(outcomes, ['begun: unknown', `waiting: ${mayBegin ? 'unknown' : 'dropped'}`]);
    await write('late');
    t.equal(outcomes.at(-1), 'late: dropped');
  }
  const { client, outcomes, write, writer } = connect(t);
  const sent = once(writer, 'message');
  const writes = [write('decided')];
  await sent;
  writer.postMessage([[1, { kind: 'recorded' }]]);
  client.fail(false);
  await Promise.all(writes);
  t.strictSame(outcomes, ['decided: recorded'], 'though the client had not read it yet');
});
