import t from 'tap';
import type { TokenUse } from '../../src/domain/token/token-use.ts';
import { TokenUses, usesHeldMax } from '../../src/front/token-uses.ts';

const use: TokenUse = {
  tokenId: 'token',
  at: 5,
  route: 'GET /flags/{flag_id}',
  environment: 'production',
  address: '192.0.2.1',
  count: 1,
};

function noneIsLost(): never {
  throw new Error('a use was not counted');
}

t.test(
  'requests that do the same are one use, as of the last of them, whichever worker they asked',
  async (test) => {
    const uses = new TokenUses(noneIsLost);
    for (const at of [5, 7, 6]) uses.add({ ...use, at });
    uses.add({ ...use, address: '192.0.2.2', at: 8 });
    uses.add({ ...use, environment: null, at: 9 });
    uses.add({ ...use, tokenId: 'other', at: 10 });
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
  },
);

t.test('what could not be recorded is put back and added up', async (test) => {
  const uses = new TokenUses(noneIsLost);
  uses.add(use);
  const taken = uses.take();
  uses.add({ ...use, at: 6 });
  uses.putBack(taken);
  test.match(uses.take(), [{ at: 6, count: 2 }]);
});

t.test('different uses are bounded, and the rest is counted', async (test) => {
  let uncounted = 0;
  const uses = new TokenUses((count) => {
    uncounted += count;
  });
  for (let index = 0; index < usesHeldMax + 10; index += 1) {
    uses.add({ ...use, environment: `${index}`, at: index });
  }
  uses.add({ ...use, environment: '0', at: 5000 });
  test.equal(uncounted, 10, 'each use without room');
  const taken = uses.take();
  test.equal(taken.length, usesHeldMax);
  test.match(taken[0], { at: 5000, count: 2 });
  for (let index = 0; index < usesHeldMax; index += 1) {
    uses.add({ ...use, environment: `${index}`, tokenId: 'other' });
  }
  uses.putBack(taken.slice(0, 2));
  test.equal(uncounted, 13, 'what could not be recorded, and has lost its room');
});
