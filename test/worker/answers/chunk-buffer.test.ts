import t from 'tap';
import { ChunkBuffer } from '../../../src/worker/answers/chunk-buffer.ts';

const chunkBytes = 64 * 1024;

/** Takes full chunks while there is more than one chunk's worth, then the rest. */
function taken(buffer: ChunkBuffer): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  while (buffer.isOverfull) chunks.push(buffer.take().slice());
  return chunks;
}

t.test('pieces of any length come out as chunks, complete and in order', async (t) => {
  const lengths = [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes, 10, 500_000, 7, 70_000];
  const texts = lengths.map((length, index) => 'aäz€'.charAt(index % 4).repeat(length));
  const buffer = new ChunkBuffer();
  const chunks: Uint8Array[] = [];
  for (const [index, text] of texts.entries()) {
    buffer.add(index % 2 === 0 ? text : new TextEncoder().encode(text));
    chunks.push(...taken(buffer));
  }
  chunks.push(buffer.take());
  t.equal(Buffer.concat(chunks).toString(), texts.join(''));
  t.ok(
    chunks.slice(0, -1).every(({ length }) => length === chunkBytes),
    'all but the last are full',
  );
});

t.test('a piece of many chunks is not moved for each chunk', async (t) => {
  const buffer = new ChunkBuffer();
  buffer.add('x'.repeat(100 * chunkBytes));
  const memories = new Set<ArrayBuffer>();
  let chunks = 0;
  for (; buffer.isOverfull; chunks += 1) memories.add(buffer.take().buffer);
  t.equal(chunks, 99);
  t.equal(memories.size, 1, 'they share one memory');
});

t.test('the memory of a finished answer is used for the next one', async (t) => {
  const buffer = new ChunkBuffer();
  buffer.add('x');
  const { buffer: memory } = buffer.take();
  buffer.release();
  const next = new ChunkBuffer();
  next.add('yz');
  const bytes = next.take();
  t.equal(bytes.buffer, memory);
  t.equal(Buffer.from(bytes).toString(), 'yz', 'nothing of the previous answer is left');
});
