import t from 'tap';
import type { TokenUse } from '../../src/domain/token/token-use.ts';
import { tokenUseKind, UnrecordedUsage, usesHeldMax } from '../../src/front/usage-recorder.ts';

const use: TokenUse = {
  tokenId: 'token',
  at: 5,
  route: 'GET /flags/{flag_id}',
  environment: 'production',
  address: '192.0.2.1',
  count: 1,
};

const all = Number.POSITIVE_INFINITY;

t.test('equal requests at any worker are one use, with the time of the last', async (test) => {
  const uses = new UnrecordedUsage(tokenUseKind);
  for (const at of [5, 7, 6]) uses.add({ ...use, at });
  uses.add({ ...use, address: '192.0.2.2', at: 8 });
  uses.add({ ...use, environment: null, at: 9 });
  uses.add({ ...use, tokenId: 'other', at: 10 });
  test.strictSame(
    uses.take(all).map(({ tokenId, at, environment, count }) => [tokenId, at, environment, count]),
    [
      ['token', 7, 'production', 3],
      ['token', 8, 'production', 1],
      ['token', 9, null, 1],
      ['other', 10, 'production', 1],
    ],
  );
  test.ok(uses.isEmpty);
  test.equal(uses.uncounted, 0);
});

t.test('uses that could not be recorded are put back and merged', async (test) => {
  const uses = new UnrecordedUsage(tokenUseKind);
  uses.add(use);
  const taken = uses.take(all);
  uses.add({ ...use, at: 6 });
  for (const use of taken) uses.add(use);
  test.match(uses.take(all), [{ at: 6, count: 2 }]);
});

t.test('different uses are bounded for each token, and further ones are counted', async (test) => {
  const uses = new UnrecordedUsage(tokenUseKind);
  const share = usesHeldMax / 2;
  for (let index = 0; index < share + 10; index += 1) {
    uses.add({ ...use, environment: `${index}`, at: index });
  }
  uses.add({ ...use, environment: '0', at: 5000 });
  test.equal(uses.uncounted, 10, 'each use without a place');
  for (let token = 0; token < 9; token += 1) uses.add({ ...use, tokenId: `another ${token}` });
  test.equal(uses.uncounted, 10, 'other tokens find room');
  const taken = uses.take(2);
  test.match(taken[0], { at: 5000, count: 2 });
  for (const use of taken) uses.add(use);
  test.equal(uses.uncounted, 13, 'uses that could not be recorded and have lost their place');
});
