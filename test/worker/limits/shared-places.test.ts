import t from 'tap';
import type { Holder } from '../../../src/evaluator/pin-room.ts';
import {
  createPlaceMemory,
  givePlacesOf,
  SharedPlaces,
  usedPlaces,
} from '../../../src/worker/limits/shared-places.ts';

/* Places of the process: what one token, project or address may have of them, over all workers. */

const places = 128;

function holder(asker: string | null, project: string | null, address: string | null): Holder {
  return { asker, project, address };
}

/** Takes until it is refused, in turn by two workers. @returns how many places there were, and whose share was used up */
function fill(workers: readonly SharedPlaces[], of: (count: number) => Holder) {
  for (let count = 0; ; count += 1) {
    const taken = workers[count % workers.length]?.take(of(count));
    if (typeof taken !== 'number') return { count, refused: taken };
  }
}

function newWorkers() {
  const memory = createPlaceMemory(places);
  return { memory, workers: [new SharedPlaces(memory, 0), new SharedPlaces(memory, 1)] };
}

t.test(
  'one token has a third, its project half, an address two thirds, exactly, whoever is asked',
  async (t) => {
    const { workers, memory } = newWorkers();
    t.same(
      fill(workers, () => holder('t1', 'p', 'a')),
      { count: 43, refused: 'asker' },
    );
    t.same(
      fill(workers, (count) => holder(`u${count}`, 'p', 'a')),
      { count: 21, refused: 'project' },
    );
    t.same(
      fill(workers, (count) => holder(null, `p${count}`, 'a')),
      { count: 22, refused: 'address' },
    );
    t.equal(usedPlaces(memory), 86);
    t.type(workers[0]?.take(holder('t2', 'q', 'b')), 'number', 'another one has room');
  },
);

t.test('where there is no place, none is given', async (t) => {
  const { workers } = newWorkers();
  const everybody = (count: number) => holder(`t${count}`, `p${count}`, `a${count}`);
  t.same(fill(workers, everybody), { count: places, refused: 'all' });
});

t.test('a place that is given back is free, and so is what a dead worker held', async (t) => {
  const { workers, memory } = newWorkers();
  const [one, other] = workers as [SharedPlaces, SharedPlaces];
  const first = one.take(holder('t', 'p', 'a'));
  const second = other.take(holder('t', 'p', 'a'));
  t.not(first, second);
  one.give(Number(first));
  t.equal(usedPlaces(memory), 1);
  for (let count = 0; count < 5; count += 1) one.take(holder('t', 'p', 'a'));
  givePlacesOf(memory, 0);
  t.equal(usedPlaces(memory), 1);
  t.same(
    fill(workers, () => holder('t', 'p', 'a')),
    { count: 42, refused: 'asker' },
  );
});
