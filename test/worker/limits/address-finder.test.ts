import t from 'tap';
import { addressFromBytes, ClientAddresses } from '../../../src/worker/limits/address-finder.ts';

const proxy = Uint8Array.of(10, 0, 0, 1);
const stranger = Uint8Array.of(203, 0, 113, 9);

t.test('limits count an IPv4 address, and the /64 of an IPv6 one', async (t) => {
  t.equal(addressFromBytes(stranger).limitKey, '203.0.113.9');
  const mapped = Uint8Array.from([...new Array<number>(10).fill(0), 255, 255, 203, 0, 113, 9]);
  t.same(addressFromBytes(mapped), addressFromBytes(stranger), '::ffff:a.b.c.d is the IPv4 address');
  const one = Uint8Array.from({ length: 16 }, (_unused, index) => index + 1);
  const other = one.slice();
  other[15] = 99;
  t.equal(addressFromBytes(one).limitKey, addressFromBytes(other).limitKey);
  t.not(addressFromBytes(one).text, addressFromBytes(other).text);
  other[7] = 99;
  t.not(addressFromBytes(one).limitKey, addressFromBytes(other).limitKey);
});

t.test('X-Forwarded-For from an untrusted client is ignored and reported', async (t) => {
  const found = new ClientAddresses(['10.0.0.0/8']).find(stranger, '198.51.100.1');
  t.equal(found.address.text, '203.0.113.9');
  t.ok(found.isForged);
  t.ok(new ClientAddresses([]).find(proxy, '198.51.100.1').isForged, 'no proxy is declared');
});

t.test('the header is read from the right, past trusted proxies', async (t) => {
  const addresses = new ClientAddresses(['10.0.0.0/8', '2001:db8::/32']);
  const cases = [
    ['198.51.100.1', '198.51.100.1'],
    ['6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['6.6.6.6, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['198.51.100.1:4711', '198.51.100.1'],
    ['[2001:dead::1]:443', '2001:dead:0:0:0:0:0:1'],
    ['198.51.100.1, 2001:db8::7', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['198.51.100.1, nonsense', '10.0.0.1'],
    ['10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['', '10.0.0.1'],
  ] as const;
  for (const [header, expected] of cases) {
    const found = addresses.find(proxy, header);
    t.equal(found.address.text, expected, header);
    t.notOk(found.isForged);
  }
});
