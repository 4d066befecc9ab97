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

const program = (projectId: string, accountId: string | null = null): StreamHolder => ({
  projectId,
  accountId,
  browser: null,
});
const browser = (projectId: string, address: string): StreamHolder => ({
  ...program(projectId),
  browser: address,
});

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
    fill(rooms, () => browser('p', '192.0.2.1')),
    { count: 5, refused: 'address' },
  );
  t.same(
    fill(rooms, (count) => browser('p', `198.51.100.${count}`)),
    { count: 35, refused: 'browsers' },
  );
  t.same(
    fill(rooms, (count) => browser('q', `203.0.113.${count}`)),
    { count: 8, refused: 'browsers' },
    'another project has its share of what is left',
  );
  t.same(
    fill(rooms, () => program('p')),
    { count: 34, refused: 'project' },
    'programs have what is left, up to the share of their project',
  );
  t.same(
    fill(rooms, () => program('r')),
    { count: 15, refused: 'project' },
  );
});

t.test('an organisation leaves room for others, however many projects it has', async (t) => {
  const { rooms } = newRooms(1000);
  t.same(
    fill(rooms, () => program('p0', 'o')),
    { count: 800, refused: 'project' },
  );
  t.same(
    fill(rooms, (count) => program(`p${1 + count}`, 'o')),
    { count: 34, refused: 'organisation' },
  );
  t.same(
    fill(rooms, (count) => program(`q${count}`, 'other')),
    { count: 139, refused: 'organisation' },
    'five sixths of the 166 that are left',
  );
});

t.test('browsers of an organisation leave room for those of others', async (t) => {
  const { rooms } = newRooms(1000);
  const of = (account: string, count: number) => ({
    ...program(`${account}${count}`, account),
    browser: `198.51.${count >> 8}.${count & 255}`,
  });
  t.same(
    fill(rooms, (count) => of('o', count)),
    { count: 417, refused: 'browsers' },
    'five sixths of the half that browsers have',
  );
  t.equal(rooms[0]?.take(of('other', 1000)), null);
});

t.test('the networks of a /56 share four times the limit of an address', async (t) => {
  const { rooms } = newRooms(100);
  const bytes = Uint8Array.of(0x20, 0x01, 0x0d, 0xb8, ...new Array(11).fill(0), 1);
  const browserOf = (count: number) => {
    bytes[7] = count;
    return addressFromBytes(bytes).limitKey;
  };
  t.same(
    fill(rooms, (count) => browser('p', browserOf(count))),
    { count: 20, refused: 'address' },
  );
});

t.test('what is given back, and what a dead worker held, is free again', async (t) => {
  const { rooms, limits } = newRooms(20);
  const one = browser('p', '192.0.2.1');
  t.equal(rooms[0]?.take(one), null);
  t.equal(rooms[1]?.take(one), 'address');
  rooms[0]?.give(one);
  t.equal(rooms[1]?.take(one), null);
  giveStreamsOf(limits.streamShares, 1);
  giveBackOf(limits.budgets.streams, 1);
  t.equal(rooms[0]?.take(one), null);
  t.same(
    fill(rooms, () => program('p')),
    { count: 15, refused: 'project' },
  );
});
