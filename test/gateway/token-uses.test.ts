import t from 'tap';
import { TokenUses, usesHeldMax } from '../../src/gateway/token-uses.ts';

const read = { route: 'read-flag', query: 'env=production', address: '192.0.2.1' } as const;

t.test('requests that do the same are one use, as of the last of them', async (test) => {
  const uses = new TokenUses();
  for (const at of [5, 7, 6]) uses.note(read, 200, 'token', at);
  uses.note({ ...read, address: '192.0.2.2' }, 304, 'token', 8);
  uses.note({ ...read, query: '' }, 400, 'token', 9);
  uses.note({ ...read, route: null }, 404, 'other', 10);
  test.strictSame(
    uses.take().map(({ tokenId, at, environment, count }) => [tokenId, at, environment, count]),
    [
      ['token', 7, 'production', 3],
      ['token', 8, 'production', 1],
      ['token', 9, null, 1],
      ['other', 10, 'production', 1],
    ],
  );
  test.ok(uses.isEmpty);
});

t.test('what was refused, or needs the plan, is no use', async (test) => {
  const uses = new TokenUses();
  for (const status of [401, 402, 403]) uses.note(read, status, 'token', 1);
  test.strictSame(uses.take(), []);
});

t.test('what could not be recorded is put back and added up', async (test) => {
  const uses = new TokenUses();
  uses.note(read, 200, 'token', 5);
  const taken = uses.take();
  uses.note(read, 200, 'token', 6);
  uses.putBack(taken);
  test.match(uses.take(), [{ at: 6, count: 2 }]);
});

t.test('different uses are bounded, and environments are cut to what can be stored', async (test) => {
  const uses = new TokenUses();
  for (let index = 0; index < usesHeldMax + 10; index += 1) {
    uses.note({ ...read, query: `env=${index}${'x'.repeat(100)}` }, 200, 'token', index);
  }
  uses.note({ ...read, query: `env=0${'x'.repeat(100)}` }, 200, 'token', 5000);
  const taken = uses.take();
  test.equal(taken.length, usesHeldMax);
  test.match(taken[0], { at: 5000, count: 2 });
  test.equal(taken[0]?.environment?.length, 65);
});
