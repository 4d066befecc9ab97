import t from 'tap';
import { encodeFrame, type Frame, FrameFault, FrameReader, headerBytesMax } from '../../src/operator/frame-codec.ts';

function bytesOf(...frames: Uint8Array[][]): Uint8Array {
  return Buffer.concat(frames.flat());
}

function readIn(chunkBytes: number, bytes: Uint8Array): Frame[] {
  const frames: Frame[] = [];
  const reader = new FrameReader(
    () => 1000,
    (frame) => frames.push(frame),
  );
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  return frames;
}

t.test('frames arrive whole, however they are cut', async (t) => {
  const body = new Uint8Array([1, 2, 3]);
  const bytes = bytesOf(
    encodeFrame({ kind: 'a' }),
    encodeFrame({ kind: 'é' }, body),
    encodeFrame({ kind: 'c' }),
  );
  for (const chunkBytes of [1, 2, 3, 7, 8, 9, 20, 1000]) {
    const frames = readIn(chunkBytes, bytes);
    t.strictSame(
      frames.map(({ header }) => header),
      [{ kind: 'a' }, { kind: 'é' }, { kind: 'c' }],
      `in chunks of ${chunkBytes}`,
    );
    t.strictSame([...(frames[1]?.body ?? [])], [1, 2, 3]);
  }
});

t.test('a frame that is too large, or no frame at all, is refused before it is stored', async (t) => {
  const large = bytesOf(encodeFrame({}, new Uint8Array(1001)));
  t.throws(() => readIn(8, large), new FrameFault('a frame body is too large'));
  const preamble = Buffer.alloc(8);
  preamble.writeUInt32BE(headerBytesMax + 1, 0);
  t.throws(() => readIn(8, preamble), new FrameFault('a frame header is too large'));
  t.throws(() => readIn(8, Buffer.alloc(8)), new FrameFault('a frame header is too large'));
  const noJson = Buffer.concat([Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]), Buffer.from('{{')]);
  t.throws(() => readIn(100, noJson), new FrameFault('a frame header is no JSON'));
});

t.test('the progress of a body is told', async (t) => {
  const seen: number[] = [];
  const reader = new FrameReader(
    () => 1000,
    () => undefined,
    (received) => seen.push(received),
  );
  const bytes = bytesOf(encodeFrame({}, new Uint8Array(10)));
  for (let at = 0; at < bytes.length; at += 5) reader.push(bytes.subarray(at, at + 5));
  t.equal(seen.at(-1), 10);
});
