import t from 'tap';
import { formatByteSize, parseByteSize } from '../../src/config/byte-size.ts';

t.test('a size is a whole number with an optional unit', async (t) => {
  t.equal(parseByteSize('64GiB'), 64 * 2 ** 30);
  t.equal(parseByteSize(' 256 MiB '), 256 * 2 ** 20);
  t.equal(parseByteSize('17'), 17);
  t.equal(parseByteSize('17B'), 17);
});

t.test('other texts are no size', async (t) => {
  for (const text of ['', '1.5GiB', '64GB', 'GiB', '-1', '1 2', '99999999999999TiB']) {
    t.equal(parseByteSize(text), null, JSON.stringify(text));
  }
});

t.test('formatting gives the shortest exact form, which reads back as the same size', async (t) => {
  t.equal(formatByteSize(64 * 2 ** 30), '64GiB');
  t.equal(formatByteSize(1536), '1536');
  for (const bytes of [0, 1, 1023, 1024, 2 ** 20, 3 * 2 ** 20, 2 ** 40]) {
    t.equal(parseByteSize(formatByteSize(bytes)), bytes);
  }
});
