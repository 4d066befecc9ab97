import t from 'tap';
import type { Holder } from '../../../src/worker/evaluation/pin-room.ts';
import {
  createPlaceMemory,
  givePlacesOf,
  keptForPlaces,
  usedPlaces,
} from '../../../src/worker/limits/place-memory.ts';
import { SharedPlaces } from '../../../src/worker/limits/shared-places.ts';

/* Places of the process: the shares of one token, project or address, over all workers. */

const places = 128;

function holder(
  asker: string | null,
  project: string | null,
  address: string | null,
  organisation: string | null = null,
): Holder {
  return { asker, project, organisation, address };
}

/** Takes places with two workers in turn until a refusal. @returns the number of places, and which share was used up */
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
  'one token has a third, its project half, an address two thirds, exactly, over both workers',
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
    t.type(workers[0]?.take(holder('t2', 'q', 'b')), 'number', 'another one gets a place');
  },
);

t.test('the networks of one IPv6 site have the share of one address', async (t) => {
  const { workers } = newWorkers();
  const network = (count: number): string => `20010db80000${(0x1000 + count).toString(16)}/64`;
  t.same(
    fill(workers, (count) => holder(`t${count}`, `p${count}`, network(count), `o${count}`)),
    { count: 86, refused: 'address' },
  );
  t.type(
    workers[0]?.take(holder('t', 'p', '20010db800021000/64', 'o')),
    'number',
    'another site gets a place',
  );
});

t.test('strangers of any number of addresses leave a part to those with credentials', async (t) => {
  const memory = createPlaceMemory(places);
  const workers = [0, 1].map((worker) => new SharedPlaces(memory, worker, 1000, 0.5));
  const stranger = (count: number) => holder(null, null, `a${count}`);
  t.same(fill(workers, stranger), { count: places / 2, refused: 'strangers' });
  const known = (count: number) => holder(`t${count}`, `p${count}`, `b${count}`);
  t.same(fill(workers, known), { count: places / 2, refused: 'all' });
});

t.test('one address of strangers leaves a part of their half to others', async (t) => {
  const memory = createPlaceMemory(places);
  const workers = [0, 1].map((worker) => new SharedPlaces(memory, worker, 1000, 0.5));
  t.same(
    fill(workers, () => holder(null, null, 'a')),
    { count: 43, refused: 'address' },
  );
  t.same(
    fill(workers, (count) => holder(null, 'p', `b${count}`)),
    { count: 11, refused: 'project' },
  );
  t.type(workers[0]?.take(holder(null, 'q', 'c')), 'number', 'another one gets a place');
  t.type(workers[0]?.take(holder(null, 'r', null)), 'number', 'the service itself is no stranger');
});

t.test('the memory of strangers leaves a part, too', async (t) => {
  const places = new SharedPlaces(createPlaceMemory(8), 0, 1000, 0.5);
  const first = places.take(holder(null, null, 'a'), 200);
  t.type(first, 'number');
  t.equal(places.take(holder(null, null, 'b'), 400), 'strangers');
  t.equal(places.resize(first as number, 600), null, 'one that is alone may have more');
  t.type(places.take(holder('t', 'p', 'b', 'o'), 100), 'number');
});

t.test('without a free place none is given', async (t) => {
  const { workers } = newWorkers();
  const everybody = (count: number) => holder(`t${count}`, `p${count}`, `a${count}`);
  t.same(fill(workers, everybody), { count: places, refused: 'all' });
});

t.test('a place that was given back is free, and so are those of a dead worker', async (t) => {
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

t.test('an organisation has three fifths, with any number of projects and tokens', async (t) => {
  const { workers } = newWorkers();
  t.same(
    fill(workers, (count) => holder(`t${count}`, `p${count}`, `a${count}`, 'o')),
    { count: 77, refused: 'organisation' },
  );
  t.type(workers[0]?.take(holder('t', 'q', 'b', 'other')), 'number', 'another one gets a place');
});

t.test('memory of places is divided into the same shares', async (t) => {
  const memory = createPlaceMemory(places);
  const shared = new SharedPlaces(memory, 0, 900);
  const large = shared.take(holder('t1', 'p', 'a', 'o'), 5000);
  t.type(large, 'number', 'a single holder gets a place for any amount of memory');
  t.equal(shared.take(holder('t2', 'q', 'b', 'r'), 1), 'asker', 'then no other holder does');
  t.type(shared.take(holder('t2', 'q', 'b', 'r')), 'number', 'unless it needs no memory');
  t.equal(shared.resize(Number(large), 100), null, 'less is always allowed');
  t.equal(keptForPlaces(memory), 100);
  t.equal(
    shared.take(holder('t1', 'p', 'a', 'o'), 301),
    'asker',
    'half of the free memory, its own included',
  );
  t.type(shared.take(holder('t1', 'p', 'a', 'o'), 300), 'number');
  t.equal(shared.resize(Number(large), 101), 'asker');
  t.equal(keptForPlaces(memory), 400, 'a refusal changes nothing');
  t.type(shared.take(holder('t3', 'q', 'b', 'r'), 250), 'number', 'another one has its own share');
  shared.give(Number(large));
  t.equal(keptForPlaces(memory), 550);
  givePlacesOf(memory, 0);
  t.equal(keptForPlaces(memory), 0);
});

t.test('it is known in advance whether giving back a place would help', async (t) => {
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

t.test(
  'a worker asks another one for the place of the same share that is not read for longest',
  async (t) => {
    const { workers, memory } = newWorkers();
    const [first, second] = workers as [SharedPlaces, SharedPlaces];
    const token = holder('t1', 'p', 'a');
    const held: number[] = [];
    for (let taken = first.take(token); typeof taken === 'number'; taken = first.take(token))
      held.push(taken);
    const [late, early, reading] = held as [number, number, number];
    const stopped = new Map([
      [late, 7000],
      [early, 3000],
    ]);
    const wantedNow = (): readonly number[] =>
      held.filter((place) => first.noteUnread(place, stopped.get(place) ?? null));
    t.same(wantedNow(), []);
    second.want(token, 0, 3000);
    t.same(wantedNow(), [], 'no client stopped reading so early');
    second.want(holder('t2', 'q', 'b'), 0, 20_000);
    t.same(wantedNow(), [], 'another token has its own share');
    first.want(token, 0, 20_000);
    t.same(wantedNow(), [], 'a worker knows its own places');
    second.want(token, 0, 20_000);
    t.same(wantedNow(), [early]);
    second.want(token, 0, 20_000);
    t.same(wantedNow(), [late, early], 'the next refusal wants the next one');
    second.want(token, 0, 20_000);
    t.notOk(wantedNow().includes(reading), 'one that is read is not wanted');
    stopped.delete(late);
    t.same(wantedNow(), [early], 'a client that reads again keeps its place');
    first.give(early);
    held.splice(held.indexOf(early), 1);
    t.type(second.take(token), 'number');
    givePlacesOf(memory, 0);
    t.equal(usedPlaces(memory), 1);
  },
);
