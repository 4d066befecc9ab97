import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import t from 'tap';
import { transferredBytes } from '../../src/support/message-batch.ts';

t.test('long bytes with their own memory are transferred, all others are copied', async (t) => {
  const long = new Uint8Array(1024 * 1024).fill(7);
  const short = new Uint8Array(100).fill(8);
  const part = new Uint8Array(200_000).fill(9).subarray(0, 100_000);
  const shared = new Uint8Array(new SharedArrayBuffer(100_000));
  const all = [long, null, short, part, shared];
  const transferred = transferredBytes(all);
  t.strictSame(transferred, [long.buffer]);
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(all, transferred);
  t.strictSame([long.length, short.length, part.length], [0, 100, 100_000], 'nothing is left of it here');
  const received = receiveMessageOnPort(port2)?.message as (Uint8Array | null)[];
  t.strictSame(
    received.map((bytes) => bytes?.length),
    [1024 * 1024, undefined, 100, 100_000, 100_000],
  );
  t.ok(received[0]?.every((byte) => byte === 7));
  port1.close();
});
