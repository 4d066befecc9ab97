import t from 'tap';
import {
  createFairShares,
  type FairHold,
  type FairRoom,
  giveSharesOf,
} from '../../../src/worker/limits/fair-room.ts';
import { bodyRoom, type RoomHolder, requestRoom } from '../../../src/worker/limits/process-budgets.ts';
import { createBudgetMemory, giveBackOf, usedOf } from '../../../src/worker/limits/shared-budget.ts';
import { budgetNames, fairRoomNames } from '../../../src/worker/worker-protocol.ts';

/*
 * Rooms that holders share, over all workers: strangers never take the part of members and tokens, and nobody takes
 * all.
 */

const places = 2;
const kib = 1024;

/** Their seed is fixed: no two holders of these tests fall into one cell. */
function newLimits(): RoomHolder['limits'] {
  const seed = new SharedArrayBuffer(16);
  const budgets = budgetNames.map((name) => [name, createBudgetMemory(places)] as const);
  const shares = fairRoomNames.map((name) => [name, createFairShares(places, seed)] as const);
  return { budgets: Object.fromEntries(budgets), shares: Object.fromEntries(shares) } as RoomHolder['limits'];
}

function newRooms(bytesMax: number) {
  const limits = newLimits();
  const rooms = [bodyRoom({ limits, place: 0 }, bytesMax), bodyRoom({ limits, place: 1 }, bytesMax)] as const;
  return { limits, rooms, used: () => usedOf(limits.budgets.bodyBytes) };
}

/** Takes so much for each of many requests until one is refused. @returns how many got it */
function fill(amount: number, next: (count: number) => Pick<FairHold, 'take'>): number {
  for (let count = 0; ; count += 1) if (!next(count).take(amount)) return count;
}

t.test(
  'one address gets a fifth of the part for strangers, and another one its share of the rest',
  async (t) => {
    const { rooms, used } = newRooms(2048 * kib);
    const of = (address: string) =>
      fill(8 * kib, (count) => (rooms[count % 2] as FairRoom).ofStranger(address));
    const first = of('192.0.2.1');
    t.ok(first * 8 <= 1024 / 5 + 8 && first * 8 >= 1024 / 5 - 16, `${first * 8} KiB`);
    const second = of('192.0.2.2');
    t.ok(second < first && second * 8 > 1024 / 7, `${second * 8} KiB`);
    for (let address = 3; address < 200; address += 1) of(`192.0.2.${address}`);
    t.ok(used() <= 1024 * kib, 'strangers have half of the memory');
    t.ok(rooms[0].ofStranger('198.51.100.1').take(4 * kib), 'a short body of another address has room');
  },
);

t.test('the networks around an IPv6 address have shares, too', async (t) => {
  const { rooms } = newRooms(2048 * kib);
  const hex = (network: number) => `20010db8000000${network.toString(16).padStart(2, '0')}/64`;
  const count = fill(8 * kib, (count) => rooms[0].ofStranger(hex(count % 256)));
  t.ok(count * 8 <= 512 + 8, `a /56 has ${count * 8} KiB of 1024`);
});

t.test('tokens, projects and organisations have shares, and any of them room for one body', async (t) => {
  const { rooms, used } = newRooms(64 * 1024 * kib);
  const ask = (asker: string, project: string | null = null, organisation: string | null = null) => {
    return fill(1024 * kib, (count) =>
      (rooms[count % 2] as FairRoom).ofAsker({ asker, project, organisation }, 1024 * kib),
    );
  };
  t.equal(ask('token 1', 'project', 'organisation'), 21, 'a third');
  const others = Array.from({ length: 20 }, (_, count) =>
    ask(`token ${count + 2}`, 'project', 'organisation'),
  );
  const ofProject = others.reduce((sum, count) => sum + count, 21);
  t.equal(ofProject, 32, 'half for all of its tokens');
  t.equal(ask('member', null, 'organisation 2'), 11, 'a third of what is left');
  while (used() < 63 * 1024 * kib) ask(`token ${used()}`);
  t.equal(ask('last'), 1, 'however little is free, it has room for one');
  t.equal(ask('late'), 0, 'until all is used');
});

t.test('what is given back is free again, also that of a dead worker', async (t) => {
  const { rooms, limits, used } = newRooms(1024 * kib);
  const body = rooms[0].ofStranger('192.0.2.1');
  t.ok(body.take(kib) && body.take(3 * kib) && body.take(60 * kib));
  t.equal(used(), 64 * kib);
  body.give(64 * kib);
  t.equal(used(), 0);
  t.equal(
    fill(8 * kib, () => rooms[1].ofStranger('192.0.2.1')),
    13,
  );
  giveBackOf(limits.budgets.bodyBytes, 1);
  giveBackOf(limits.budgets.strangersBodyBytes, 1);
  giveSharesOf(limits.shares.bodies, 1);
  t.equal(
    fill(8 * kib, () => rooms[0].ofStranger('192.0.2.1')),
    13,
  );
});

t.test('requests that wait have shares once a quarter of the places is taken', async (t) => {
  const limits = newLimits();
  const rooms = [0, 1].map((place) => requestRoom({ limits, place }, 'console', 400));
  const wait = (of: (room: FairRoom) => FairHold): number =>
    fill(1, (count) => {
      const { all, waiting } = rooms[count % 2] as (typeof rooms)[number];
      const take = (): boolean => {
        if (!all.take(1)) return false;
        if (of(waiting).take(1)) return true;
        all.give(1);
        return false;
      };
      return { take };
    });
  const first = wait((room) => room.ofStranger('192.0.2.1'));
  t.ok(first >= 100 && first <= 130, `one address has ${first} of 400`);
  for (let address = 2; address < 250; address += 1) wait((room) => room.ofStranger(`192.0.2.${address}`));
  t.ok(usedOf(limits.budgets.consoleRequests) <= 200, 'strangers have half of the places');
  const ofMember = (asker: string, organisation: string): number =>
    wait((room) => room.ofAsker({ asker, project: null, organisation }, 1));
  t.ok(ofMember('ada', 'o') > 50, 'a member finds places');
  t.ok(ofMember('eve', 'p') > 10, 'and so does one of another organisation');
});
