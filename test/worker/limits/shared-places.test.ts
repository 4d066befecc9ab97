import t from 'tap';
import type { Holder } from '../../../src/worker/evaluation/pin-room.ts';
import {
  createPlaceMemory,
  givePlacesOf,
  keptForPlaces,
  SharedPlaces,
  usedPlaces,
} from '../../../src/worker/limits/shared-places.ts';

/* Places of the process: what one token, project or address may have of them, over all workers. */

const places = 128;

function holder(
  asker: string | null,
  project: string | null,
  address: string | null,
  organisation: string | null = null,
): Holder {
  return { asker, project, organisation, address };
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

t.test('an organisation has three fifths, however many projects and tokens it has', async (t) => {
  const { workers } = newWorkers();
  t.same(
    fill(workers, (count) => holder(`t${count}`, `p${count}`, `a${count}`, 'o')),
    { count: 77, refused: 'organisation' },
  );
  t.type(workers[0]?.take(holder('t', 'q', 'b', 'other')), 'number', 'another one has room');
});

t.test('what is kept for places is shared out in the same way', async (t) => {
  const memory = createPlaceMemory(places);
  const shared = new SharedPlaces(memory, 0, 900);
  const large = shared.take(holder('t1', 'p', 'a', 'o'), 5000);
  t.type(large, 'number', 'one that is alone has room, however much it keeps');
  t.equal(shared.take(holder('t2', 'q', 'b', 'r'), 1), 'asker', 'then nobody else has');
  t.type(shared.take(holder('t2', 'q', 'b', 'r')), 'number', 'unless nothing is kept for it');
  t.equal(shared.resize(Number(large), 100), null, 'less is always right');
  t.equal(keptForPlaces(memory), 100);
  t.equal(shared.take(holder('t1', 'p', 'a', 'o'), 301), 'asker', 'half of what is free, with what it has');
  t.type(shared.take(holder('t1', 'p', 'a', 'o'), 300), 'number');
  t.equal(shared.resize(Number(large), 101), 'asker');
  t.equal(keptForPlaces(memory), 400, 'what is refused changes nothing');
  t.type(shared.take(holder('t3', 'q', 'b', 'r'), 250), 'number', 'another one has its own share');
  shared.give(Number(large));
  t.equal(keptForPlaces(memory), 550);
  givePlacesOf(memory, 0);
  t.equal(keptForPlaces(memory), 0);
});

t.test('it is known beforehand whether a place that is given back would do', async (t) => {
  const memory = createPlaceMemory(places);
  const shared = new SharedPlaces(memory, 0, 900);
  const mine = holder('t', 'p', 'a', 'o');
  const own = Array.from({ length: 43 }, () => Number(shared.take(mine)));
  const others = Number(shared.take(holder('u', 'q', 'b', 'r')));
  t.equal(shared.take(mine), 'asker');
  t.notOk(shared.wouldTake(mine, 0, others), "another one's would not help");
  t.ok(shared.wouldTake(mine, 0, Number(own[0])));
  t.equal(usedPlaces(memory), 44, 'nothing has changed');
});
