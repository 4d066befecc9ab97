import t from 'tap';
import { createRandom } from '../support/random.ts';
import { checkRegister, History, NotLinearizable, type Operation } from './history.ts';

/* Tests the judge with histories of which it is known whether an order explains them. */
type Action = Pick<Operation, 'name' | 'apply'>;
const write = (value: string): Action => ({ name: `write ${value}`, apply: () => value });
const read = (value: string): Action => ({
  name: `read ${value}`,
  apply: (state) => (state === value ? state : null),
});
const asks = (value: string, holds: boolean): Action => ({
  name: `is it ${value}`,
  apply: (state) => ((state === value) === holds ? state : null),
});

function operation(action: Action, calledAt: number, returnedAt: number): Operation {
  return { ...action, calledAt, returnedAt, isOptional: false };
}

function optional(value: string, calledAt: number, returnedAt: number): Operation {
  return { ...write(value), calledAt, returnedAt, isOptional: true };
}

const explained: readonly (readonly [string, readonly Operation[]])[] = [
  ['one after another', [operation(write('a'), 0, 1), operation(read('a'), 2, 3)]],
  ['a read during a write sees the old value', [operation(write('a'), 0, 9), operation(read(''), 1, 2)]],
  ['a read during a write sees the new value', [operation(write('a'), 0, 9), operation(read('a'), 1, 2)]],
  [
    'writes at the same time, in either order',
    [
      operation(write('a'), 0, 9),
      operation(write('b'), 0, 9),
      operation(read('b'), 1, 2),
      operation(read('a'), 3, 4),
    ],
  ],
  ['an unanswered write that happened', [optional('a', 0, 5), operation(read('a'), 6, 7)]],
  ['an unanswered write that did not', [optional('a', 0, 5), operation(read(''), 6, 7)]],
  [
    'a test for a value that the register does not hold',
    [operation(write('a'), 0, 1), operation(asks('b', false), 2, 3)],
  ],
];

const unexplained: readonly (readonly [string, readonly Operation[]])[] = [
  ['a stale read', [operation(write('a'), 0, 1), operation(read(''), 2, 3)]],
  ['a read of a value that was never written', [operation(read('x'), 0, 1)]],
  [
    'a value that comes, goes and comes back',
    [operation(write('a'), 0, 9), operation(read('a'), 1, 2), operation(read(''), 3, 4)],
  ],
  [
    'two readers that see two writes in different orders',
    [
      operation(write('a'), 0, 3),
      operation(write('b'), 0, 3),
      operation(read('a'), 4, 5),
      operation(read('b'), 6, 7),
    ],
  ],
  [
    'an acknowledged write that no read sees',
    [operation(write('a'), 0, 1), operation(asks('a', false), 2, 3)],
  ],
  [
    'an unanswered write that happens after its server has ended',
    [optional('a', 0, 5), operation(read(''), 6, 7), operation(read('a'), 8, 9)],
  ],
];

t.test(
  'a write without an answer may happen until its server has ended, and a failure names the register',
  async (t) => {
    const history = new History();
    const at = performance.now();
    history.note('flag 1', { ...write('a'), calledAt: at - 2, returnedAt: null });
    history.note('flag 1', { ...read('a'), calledAt: at - 1, returnedAt: at });
    t.equal(history.settle(), 1);
    t.equal(history.settle(), 0);
    t.doesNotThrow(() => history.check(() => ''));
    history.note('flag 2', { ...read('a'), calledAt: at - 1, returnedAt: at });
    t.throws(() => history.check(() => ''), {
      name: 'NotLinearizable',
      message: /^flag 2: nothing explains read a/,
    });
  },
);

t.test('linearizable histories pass', async (t) => {
  for (const [name, history] of explained) t.doesNotThrow(() => checkRegister(history, ''), name);
});

t.test('other histories are refused', async (t) => {
  for (const [name, history] of unexplained)
    t.throws(() => checkRegister(history, ''), NotLinearizable, name);
});

t.test('many writes without an answer are followed', async (t) => {
  const values = Array.from({ length: 28 }, (_, index) => `v${index}`);
  const history = [
    ...values.map((value, index) => optional(value, index, 1000)),
    ...values.map((value, index) => operation(read(value), 100 + 2 * index, 101 + 2 * index)),
  ];
  t.doesNotThrow(() => checkRegister(history, ''));
  t.throws(() => checkRegister([...history, operation(read('v3'), 500, 501)], ''), NotLinearizable);
});

t.test("a real register's history passes, and fails once one read is made stale", async (t) => {
  const random = createRandom(4);
  for (let round = 1; round <= 20; round += 1) {
    const history = playRegister(random.fork(round));
    t.doesNotThrow(() => checkRegister(history, ''));
    const reads = history.filter(({ name }) => name.startsWith('read'));
    const last = reads.at(-1);
    if (last === undefined) throw new Error('the history has reads');
    const spoilt = history.map((it) => (it === last ? { ...it, ...read('') } : it));
    t.throws(() => checkRegister(spoilt, ''), NotLinearizable);
  }
});

/** Eight clients with overlapping operations, each of which happens at one moment between call and return. */
function playRegister(random: ReturnType<typeof createRandom>): Operation[] {
  const planned = Array.from({ length: 240 }, (_, index) => {
    const calledAt = Math.floor(index / 8) * 10 + random.next() * 8;
    const returnedAt = calledAt + random.next() * 12;
    const happensAt = calledAt + random.next() * (returnedAt - calledAt);
    return { index, calledAt, returnedAt, happensAt, isWrite: index === 0 || random.chance(0.5) };
  });
  let value = '';
  const inOrder = planned.sort((left, right) => left.happensAt - right.happensAt);
  return inOrder.map(({ index, calledAt, returnedAt, isWrite }) => {
    if (isWrite) value = `v${index}`;
    return operation(isWrite ? write(value) : read(value), calledAt, returnedAt);
  });
}
