import t from 'tap';
import {
  addressClient,
  type Client,
  clientOf,
  credentialClient,
  Pool,
} from '../../../src/worker/limits/quota.ts';

/** Takes one after the other. @returns how many it got */
function takeAll(pool: Pool, client: Client | null): number {
  let got = 0;
  while (pool.take(client, 1)) got += 1;
  return got;
}

t.test('one client gets a quarter of what a worker has for clients of its kind', async (t) => {
  const pool = new Pool(160, 2);
  t.equal(takeAll(pool, credentialClient('token')), 10);
  t.equal(takeAll(pool, credentialClient('another')), 10);
  pool.give(credentialClient('token'), 1);
  t.equal(takeAll(pool, credentialClient('token')), 1, 'what was given back can be taken again');
});

t.test(
  'no number of clients without a credential keeps one with a credential out, or the reverse',
  async (t) => {
    const pool = new Pool(160, 2);
    const addresses = Array.from({ length: 9 }, (_, index) => addressClient(`192.0.2.${index}`));
    t.equal(
      addresses.reduce((sum, address) => sum + takeAll(pool, address), 0),
      40,
    );
    t.equal(takeAll(pool, null), 0);
    t.equal(takeAll(pool, credentialClient('token')), 10);

    const other = new Pool(160, 2);
    const tokens = Array.from({ length: 9 }, (_, index) => credentialClient(`token ${index}`));
    t.equal(
      tokens.reduce((sum, token) => sum + takeAll(other, token), 0),
      40,
    );
    t.equal(takeAll(other, addressClient('192.0.2.1')), 10);
  },
);

t.test('clients behind a declared proxy share what there is for all', async (t) => {
  t.equal(takeAll(new Pool(160, 2), null), 40);
});

t.test('the networks of an IPv6 /48 are one client', async (t) => {
  const pool = new Pool(160, 2);
  t.equal(takeAll(pool, clientOf(null, '20010db800010001/64')), 10);
  t.equal(takeAll(pool, clientOf(null, '20010db800010002/64')), 0);
  t.equal(takeAll(pool, clientOf(null, '20010db800020001/64')), 10);
});

t.test('however many workers there are, each can serve one request of each kind', async (t) => {
  const pool = new Pool(64, 1000, { least: 8 });
  t.ok(pool.take(credentialClient('token'), 8));
  t.notOk(pool.take(credentialClient('another'), 1));
  t.ok(pool.take(addressClient('192.0.2.1'), 8));
  t.notOk(new Pool(0, 1).take(null, 1), 'but nothing of what is switched off');
});

t.test('what is in use is shown, and a request gives back all that it has', async (t) => {
  const seen: number[] = [];
  const pool = new Pool(64, 1, { onChange: (used) => seen.push(used) });
  const quota = pool.quotaOf(credentialClient('token'));
  t.ok(quota.take(5));
  t.notOk(quota.take(4), 'nothing is taken of what is too much');
  t.ok(pool.quotaOf(addressClient('192.0.2.1')).take(1));
  quota.give(2);
  quota.end();
  quota.end();
  t.strictSame(seen, [5, 6, 4, 1]);
});

t.test('an address at its quota is reported, but not one that finds everything taken', async (t) => {
  const reported: string[] = [];
  const pool = new Pool(16, 1, { onAddressFull: (address) => reported.push(address) });
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) takeAll(pool, addressClient(address));
  t.strictSame(reported, ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  takeAll(pool, addressClient('192.0.2.4'));
  takeAll(pool, addressClient('192.0.2.5'));
  takeAll(pool, credentialClient('token'));
  t.equal(reported.length, 3, 'the last of four finds its quota in use with everything else');
});
