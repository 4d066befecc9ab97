import t from 'tap';
import { newId } from '../../src/support/random-id.ts';

const ids = Array.from({ length: 20_000 }, () => newId());

t.test('an id is 20 characters of 0-9A-Za-z, and never one of before', async (t) => {
  t.same(
    ids.filter((id) => !/^[0-9A-Za-z]{20}$/.test(id)),
    [],
  );
  t.equal(new Set(ids).size, ids.length);
});

t.test('each of the 62 characters is as likely as any other', async (t) => {
  const counts = new Map<string, number>();
  for (const character of ids.join('')) counts.set(character, (counts.get(character) ?? 0) + 1);
  const expected = (ids.length * 20) / 62;
  // Nine standard deviations: no run meets them by chance. A byte modulo 62 would give eight characters a fifth more.
  const far = 9 * Math.sqrt(expected);
  t.same(
    [...counts].filter(([, count]) => Math.abs(count - expected) > far),
    [],
  );
  t.equal(counts.size, 62);
});
