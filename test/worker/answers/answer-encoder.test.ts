import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { acceptedCoding } from '../../../src/http/content-coding.ts';
import { type AnswerEncoder, AnswerEncoders } from '../../../src/worker/answers/answer-encoder.ts';
import { Pool } from '../../../src/worker/limits/quota.ts';

function add(encoder: AnswerEncoder, text: string, isLast: boolean): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let isBack = false;
    const done = (coded: Uint8Array): void => {
      if (isBack) resolve(Buffer.from(coded));
      else reject(new Error('done was called before the call returned'));
    };
    encoder[isLast ? 'finish' : 'add'](Buffer.from(text), done, reject);
    isBack = true;
  });
}

t.test('chunks are compressed one by one, and their room is given back at the end', async (t) => {
  for (const [coding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const room = new Pool(2, 1).quotaOf(null);
    const encoders = new AnswerEncoders(room);
    const encoder = encoders.take(coding);
    if (encoder === null) throw new Error('there is room');
    t.equal(encoders.take(coding), null, 'there is no room for a second one');
    const chunks = ['a'.repeat(64 * 1024), 'é'.repeat(30_000), ''];
    const coded: Uint8Array[] = [];
    for (const [index, chunk] of chunks.entries()) coded.push(await add(encoder, chunk, index === 2));
    t.equal(decode(Buffer.concat(coded)).toString(), chunks.join(''), coding);
    t.equal(room.used, 0);
    encoder.close();
    t.equal(room.used, 0, 'closed once');
  }
  t.equal(new AnswerEncoders(new Pool(9, 1).quotaOf(null)).take(null), null);
});

t.test('an encoder that is closed while it works calls nobody', async (t) => {
  const room = new Pool(2, 1).quotaOf(null);
  const encoder = new AnswerEncoders(room).take('br');
  const fail = (): void => {
    t.fail('called after close');
  };
  encoder?.add(Buffer.alloc(64 * 1024, 'x'), fail, fail);
  encoder?.close();
  t.equal(room.used, 0);
  const next = new AnswerEncoders(room).take('br');
  if (next === null) throw new Error('there is room again');
  t.equal(brotliDecompressSync(await add(next, 'later', true)).toString(), 'later');
});

t.test('the best coding that the client accepts is taken', async (t) => {
  for (const [header, expected] of [
    ['gzip, deflate, br', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.0, gzip ; q=0.1', 'gzip'],
    ['', null],
    ['*', null],
    ['brotli', null],
  ] as const) {
    t.equal(acceptedCoding(header), expected, header);
  }
  t.equal(acceptedCoding('br, gzip', ['gzip']), 'gzip');
});
