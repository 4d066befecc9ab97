import t from 'tap';
import { decodeQuery } from '../../src/support/query-string.ts';
import fc from './fast-check.ts';

t.test('decoding inverts encodeURIComponent', async () => {
  const text = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      const sent = pairs.filter(([name, value]) => name !== '' || value !== '');
      const raw = sent
        .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
        .join('&');
      const read = decodeQuery(raw).map(({ name, value, fault }) => [name, value, fault]);
      return JSON.stringify(read) === JSON.stringify(sent.map((pair) => [...pair, null]));
    }),
  );
});

t.test('a query is split at & and the first =, and empty pieces are ignored', async (t) => {
  const read = decodeQuery('a=1&&b&c==&=d').map(({ name, value }) => [name, value]);
  t.strictSame(read, [
    ['a', '1'],
    ['b', ''],
    ['c', '='],
    ['', 'd'],
  ]);
  t.strictSame(decodeQuery(''), []);
});

t.test('a plus is a plus', async (t) => {
  t.match(decodeQuery('a=b+c'), [{ value: 'b+c', rawValue: 'b+c', fault: null }]);
});

t.test('an undecodable parameter is a fault of only that parameter', async (t) => {
  for (const bad of ['%', '%1', '%zz', '%ff', '%c0%80', '%ed%a0%80', '%f5%80%80%80']) {
    t.match(decodeQuery(`a=${bad}&b=1`), [
      { name: 'a', value: null, fault: 'escape' },
      { name: 'b', value: '1', fault: null },
    ]);
    t.match(decodeQuery(`${bad}=1`), [{ name: null, value: '1', fault: 'escape' }]);
  }
  t.match(decodeQuery('a=ä&ö=1'), [
    { name: 'a', value: null, fault: 'raw-character' },
    { name: null, value: '1', fault: 'raw-character' },
  ]);
  t.match(decodeQuery('a=\u007f'), [{ fault: 'raw-character' }], 'DEL is above U+007E');
});
