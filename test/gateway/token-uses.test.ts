import t from 'tap';
import { GatewayMeter } from '../../src/gateway/gateway-meter.ts';
import { gatewayMetrics } from '../../src/gateway/gateway-metrics.ts';
import { TokenUses, usesHeldMax } from '../../src/gateway/token-uses.ts';

const read = { route: 'read-flag', query: 'env=production', address: '192.0.2.1' } as const;

function noneIsLost(): never {
  throw new Error('a use was not counted');
}

t.test('requests that do the same are one use, as of the last of them', async (test) => {
  const uses = new TokenUses(noneIsLost);
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
  const uses = new TokenUses(noneIsLost);
  for (const status of [401, 402, 403]) uses.note(read, status, 'token', 1);
  test.strictSame(uses.take(), []);
});

t.test('what could not be recorded is put back and added up', async (test) => {
  const uses = new TokenUses(noneIsLost);
  uses.note(read, 200, 'token', 5);
  const taken = uses.take();
  uses.note(read, 200, 'token', 6);
  uses.putBack(taken);
  test.match(uses.take(), [{ at: 6, count: 2 }]);
});

t.test(
  'different uses are bounded and the rest is counted; environments are cut to what can be stored',
  async (test) => {
    const meter = new GatewayMeter();
    const uncounted = () => meter.cells[gatewayMetrics.metrics.uncountedTokenUses.firstCell];
    const uses = new TokenUses((count) => meter.countUncountedTokenUses(count));
    for (let index = 0; index < usesHeldMax + 10; index += 1) {
      uses.note({ ...read, query: `env=${index}${'x'.repeat(100)}` }, 200, 'token', index);
    }
    uses.note({ ...read, query: `env=0${'x'.repeat(100)}` }, 200, 'token', 5000);
    test.equal(uncounted(), 10, 'each use without room');
    const taken = uses.take();
    test.equal(taken.length, usesHeldMax);
    test.match(taken[0], { at: 5000, count: 2 });
    test.equal(taken[0]?.environment?.length, 65);
    for (let index = 0; index < usesHeldMax; index += 1)
      uses.note({ ...read, query: `env=${index}` }, 200, 'other', 1);
    uses.putBack(taken.slice(0, 2));
    test.equal(uncounted(), 13, 'what could not be recorded, and has lost its room');
  },
);
