import t from 'tap';
import { findsId } from '../../../src/domain/console/finds-id.ts';

t.test('an id is found by itself and by a long part of it, in any case', async (t) => {
  const id = 'k3VvX0aPq7Lw2ZtR9bNd';
  for (const word of [id.toLowerCase(), id.slice(0, 6).toLowerCase(), id.slice(9, 16).toLowerCase()])
    t.equal(findsId(word, id), true, word);
});

t.test('a short word, which ids contain by chance, finds none', async (t) => {
  t.equal(findsId('ap', 'k3VvX0aPq7Lw2ZtR9bNd'), false);
  t.equal(findsId('k3vvx', 'k3VvX0aPq7Lw2ZtR9bNd'), false);
  t.equal(findsId('basket', 'k3VvX0aPq7Lw2ZtR9bNd'), false);
});
