import t from 'tap';
import { tokenUseOf } from '../../src/worker/token-use-of.ts';

const read = { route: 'read-flag', query: 'env=production', address: '192.0.2.1' } as const;

t.test("an answered request determines its token's use", async (t) => {
  const use = tokenUseOf(read, 200, 'token', 5);
  t.match(use, { tokenId: 'token', at: 5, environment: 'production', address: '192.0.2.1', count: 1 });
  t.equal(tokenUseOf({ ...read, query: '' }, 400, 'token', 9)?.environment, null);
  t.not(tokenUseOf({ ...read, route: null }, 404, 'other', 10)?.route, use?.route);
});

t.test('a refused request, or one that needs the plan, is no use', async (t) => {
  for (const status of [401, 402, 403]) t.equal(tokenUseOf(read, status, 'token', 1), null);
});

t.test('environment names are cut to their stored length', async (t) => {
  const use = tokenUseOf({ ...read, query: `env=0${'x'.repeat(100)}` }, 200, 'token', 1);
  t.equal(use?.environment?.length, 65);
});
