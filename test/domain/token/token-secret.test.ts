import { randomBytes } from 'node:crypto';
import { crc32 as zlibCrc32 } from 'node:zlib';
import t from 'tap';
import { newTokenSecret, readTokenSecret } from '../../../src/domain/token/token-secret.ts';
import { crc32 } from '../../../src/support/crc32.ts';
import fc from '../../support/fast-check.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const prefixes = ['burgee', 'old_prefix'];

t.test('the CRC-32 is that of zlib', async (t) => {
  t.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf43926);
  t.equal(crc32(new Uint8Array()), 0);
  if (typeof zlibCrc32 === 'function') {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => crc32(bytes) === zlibCrc32(bytes)));
  }
});

t.test('a new secret is a prefix, 43 random characters and 6 check characters', async (t) => {
  t.match(newTokenSecret('burgee', randomBytes(32)), /^burgee_[0-9A-Za-z]{49}$/);
  t.equal(newTokenSecret('burgee', new Uint8Array(32)).slice(7, 50), '0'.repeat(43));
  t.match(newTokenSecret('burgee', new Uint8Array(32).fill(255)), /^burgee_[0-9A-Za-z]{49}$/);
  t.throws(() => newTokenSecret('burgee', new Uint8Array(31)), RangeError);
});

t.test('a new secret can be read, with every accepted prefix', async () => {
  fc.assert(
    fc.property(bytes32, fc.constantFrom(...prefixes), (bytes, prefix) => {
      const text = newTokenSecret(prefix, bytes);
      return readTokenSecret(text, prefixes) === text.slice(prefix.length + 1);
    }),
  );
});

t.test('two seeds never make one secret', async () => {
  fc.assert(
    fc.property(bytes32, bytes32, (left, right) => {
      const isSame = Buffer.compare(left, right) === 0;
      return (newTokenSecret('b', left) === newTokenSecret('b', right)) === isSame;
    }),
  );
});

t.test('any one character changed, added or left out makes it malformed', async (t) => {
  const text = newTokenSecret('burgee', randomBytes(32));
  const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_ -é';
  let tried = 0;
  for (let at = 0; at < text.length; at++) {
    const without = text.slice(0, at) + text.slice(at + 1);
    if (readTokenSecret(without, prefixes) !== undefined) t.fail(`without character ${at}`);
    for (const character of characters) {
      const changed = text.slice(0, at) + character + text.slice(at + 1);
      const added = text.slice(0, at) + character + text.slice(at);
      if (changed !== text && readTokenSecret(changed, prefixes) !== undefined)
        t.fail(`${character} at ${at}`);
      if (readTokenSecret(added, prefixes) !== undefined) t.fail(`${character} before ${at}`);
      tried += 1;
    }
  }
  t.equal(tried, text.length * characters.length);
});

t.test('another prefix, another length and no prefix are malformed', async (t) => {
  const text = newTokenSecret('burgee', randomBytes(32));
  t.equal(readTokenSecret(text, ['other']), undefined);
  t.equal(readTokenSecret(text.slice(7), ['burgee']), undefined);
  t.equal(readTokenSecret(text.slice(7), ['']), undefined, 'the underscore is required');
  t.equal(readTokenSecret('', prefixes), undefined);
  t.equal(readTokenSecret('_'.repeat(100_000), prefixes), undefined);
  t.equal(readTokenSecret(`prefix_${text}`, prefixes), undefined);
});
