import t from 'tap';
import { remarkOnDriver } from '../../../bench/measure/compare-throughput.ts';
import { sampleComparison } from '../sample-comparison.ts';

t.test('where autocannon is the limit, the report says so', async (t) => {
  const fast = sampleComparison([51_000, 52_000, 51_500], [49_000, 50_000, 49_500]);
  const slow = sampleComparison([4000, 4100, 4050], [9000, 9100, 9050]);
  const [remark] = remarkOnDriver('autocannon', fast).remarks ?? [];
  t.match(remark, /^autocannon itself is the limit above some 40,000 requests a second/);
  const framed = { ...fast, remarks: ['chunked'] };
  t.equal(remarkOnDriver('autocannon', framed).remarks?.length, 2, 'earlier remarks stay');
  t.equal(remarkOnDriver('autocannon', slow), slow);
  t.equal(remarkOnDriver('wrk', fast), fast);
});
