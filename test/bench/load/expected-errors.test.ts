import t from 'tap';
import { expectedErrors } from '../../../bench/load/expected-errors.ts';
import type { BenchRequest } from '../../../bench/load/request-list.ts';

const list: readonly BenchRequest[] = [200, 404, 200, 304, 500].map((status) => ({ path: '/', status }));

t.test('with every issued request answered the count is exact', async (t) => {
  const counts = [0, 1, 2, 5, 6, 7, 12, 5000].map((issued) => expectedErrors(list, issued, issued));
  t.same(
    counts,
    [0, 0, 1, 2, 2, 3, 5, 2000].map((count) => ({ least: count, most: count })),
  );
});

t.test('each request without an answer yet may be an error or not', async (t) => {
  t.same(expectedErrors(list, 5000, 4999), { least: 1999, most: 2000 });
  t.same(expectedErrors(list, 7, 2), { least: 0, most: 2 });
});

t.test('a list without errors has none', async (t) => {
  t.same(expectedErrors([{ path: '/', status: 200 }], 5000, 4900), { least: 0, most: 0 });
});
