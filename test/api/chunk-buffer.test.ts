import t from 'tap';
import { ChunkBuffer } from '../../src/api/chunk-buffer.ts';

const chunkBytes = 64 * 1024;

/** Every chunk that is more than one's worth, then the rest. */
function taken(buffer: ChunkBuffer): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  while (buffer.isOverfull) chunks.push(buffer.take().slice());
  return chunks;
}

t.test('pieces of any length come out in chunks, whole and in order', async (t) => {
  const lengths = [0, 1, chunkBytes - 1, chunkBytes, chunkBytes + 1, 3 * chunkBytes, 10, 500_000, 7, 70_000];
  const texts = lengths.map((length, index) => 'aäz€'.charAt(index % 4).repeat(length));
  const buffer = new ChunkBuffer();
  const chunks: Uint8Array[] = [];
  for (const [index, text] of texts.entries()) {
    buffer.add(index % 2 === 0 ? text : new TextEncoder().encode(text));
    chunks.push(...taken(buffer));
  }
  chunks.push(buffer.take().slice());
  t.equal(Buffer.concat(chunks).toString(), texts.join(''));
  t.ok(
    chunks.slice(0, -1).every(({ length }) => length === chunkBytes),
    'all but the last are full',
  );
});

t.test('a piece of many chunks is not moved for each of them, and its memory is let go', async (t) => {
  const buffer = new ChunkBuffer();
  buffer.add('x'.repeat(100 * chunkBytes));
  const memories = new Set<ArrayBufferLike>();
  let chunks = 0;
  for (; buffer.isOverfull; chunks += 1) memories.add(buffer.take().buffer);
  t.equal(chunks, 99);
  t.equal(memories.size, 1, 'they lie in one memory');
  buffer.add('y');
  t.equal(Buffer.from(buffer.take()).toString(), `${'x'.repeat(chunkBytes)}`);
  buffer.add('z');
  const last = buffer.take();
  t.equal(Buffer.from(last).toString(), 'yz');
  t.ok(last.buffer.byteLength < 3 * chunkBytes, `${last.buffer.byteLength} bytes`);
});

t.test('chunks of short pieces are all put together in one memory', async (t) => {
  const buffer = new ChunkBuffer();
  const memories = new Set<ArrayBufferLike>();
  for (let pieces = 0; pieces < 20_000; pieces += 1) {
    buffer.add(`piece ${pieces} of a long list,`);
    if (buffer.isOverfull) memories.add(buffer.take().buffer);
  }
  t.equal(memories.size, 1);
});
