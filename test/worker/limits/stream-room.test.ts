import t from 'tap';
import { addressFromBytes } from '../../../src/worker/limits/address-finder.ts';
import { createBudgetMemory, giveBackOf } from '../../../src/worker/limits/shared-budget.ts';
import {
  createStreamShares,
  giveStreamsOf,
  type RefusedStream,
  type StreamHolder,
  StreamRoom,
} from '../../../src/worker/limits/stream-room.ts';

/* Places for event streams, over all workers: browsers, which need no credentials, never take those of programs. */

const places = 2;

/** Their seed is fixed: no two holders of these tests fall into one cell. */
function newRooms(syncStreamsMax: number) {
  const limits = {
    budgets: { streams: createBudgetMemory(places) },
    streamShares: createStreamShares(places, new SharedArrayBuffer(16)),
  };
  const rooms = [0, 1].map((place) => new StreamRoom({ limits, place, syncStreamsMax }));
  return { limits, rooms };
}

const program = (projectId: string): StreamHolder => ({ projectId, browser: null });

/** Takes places with two workers in turn until a refusal. */
function fill(rooms: readonly StreamRoom[], of: (count: number) => StreamHolder) {
  for (let count = 0; ; count += 1) {
    const refused: RefusedStream | null | undefined = rooms[count % rooms.length]?.take(of(count));
    if (refused !== null) return { count, refused };
  }
}

t.test('browsers of one address, of one project and of all have their shares, exactly', async (t) => {
  const { rooms } = newRooms(100);
  t.same(
    fill(rooms, () => ({ projectId: 'p', browser: '192.0.2.1' })),
    { count: 5, refused: 'address' },
  );
  t.same(
    fill(rooms, (count) => ({ projectId: 'p', browser: `198.51.100.${count}` })),
    { count: 35, refused: 'browsers' },
  );
  t.same(
    fill(rooms, (count) => ({ projectId: 'q', browser: `203.0.113.${count}` })),
    { count: 10, refused: 'browsers' },
  );
  t.same(
    fill(rooms, () => program('p')),
    { count: 40, refused: 'project' },
    'programs have what is left, up to the share of their project',
  );
  t.same(
    fill(rooms, () => program('r')),
    { count: 10, refused: 'all' },
  );
});

t.test('the networks of a /56 share four times the limit of an address', async (t) => {
  const { rooms } = newRooms(100);
  const bytes = Uint8Array.of(0x20, 0x01, 0x0d, 0xb8, ...new Array(11).fill(0), 1);
  const browserOf = (count: number) => {
    bytes[7] = count;
    return addressFromBytes(bytes).limitKey;
  };
  t.same(
    fill(rooms, (count) => ({ projectId: 'p', browser: browserOf(count) })),
    { count: 20, refused: 'address' },
  );
});

t.test('what is given back, and what a dead worker held, is free again', async (t) => {
  const { rooms, limits } = newRooms(20);
  const browser: StreamHolder = { projectId: 'p', browser: '192.0.2.1' };
  t.equal(rooms[0]?.take(browser), null);
  t.equal(rooms[1]?.take(browser), 'address');
  rooms[0]?.give(browser);
  t.equal(rooms[1]?.take(browser), null);
  giveStreamsOf(limits.streamShares, 1);
  giveBackOf(limits.budgets.streams, 1);
  t.equal(rooms[0]?.take(browser), null);
  t.same(
    fill(rooms, () => program('p')),
    { count: 15, refused: 'project' },
  );
});
