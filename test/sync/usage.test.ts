import { toUSVString } from 'node:util';
import t from 'tap';
import { hourMs, hourOf } from '../../src/domain/usage/evaluation-count.ts';
import { openStoreReader } from '../../src/storage/store-reader.ts';
import { UsageReports } from '../../src/worker/usage-reports.ts';
import { PreparedStore } from '../console/prepared-store.ts';
import fc from '../support/fast-check.ts';
import { bearer } from '../support/http-client.ts';
import { idOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { bootSync, type SyncSite } from './sync-fixture.ts';

t.setTimeout(180_000);

function report(site: SyncSite, body: unknown, path = `/sync/v1/usage/${site.shop.id}/production`) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return site.client.send({ method: 'POST', path, headers: bearer(site.secret()), body: text });
}

t.test('reported evaluations are counted as the service’s own, each report once', async (test) => {
  const site = await bootSync(test);
  const [first, second] = [idOf(site.shop.flags, 'first'), idOf(site.shop.flags, 'second')];
  const foreign = idOf(site.single.flags, 'first');
  const startedAt = hourOf(Date.now());
  const sent = {
    reportId: 'report-0001',
    flags: [
      { id: first, on: 5, off: 2 },
      { id: second, on: 0, off: 1 },
      { id: foreign, on: 100, off: 100 },
      { id: 'nonsense', on: 100, off: 100 },
    ],
  };
  const counted = await report(site, sent);
  test.equal(counted.status, 200);
  test.same(JSON.parse(counted.text), { counted: 2, unknownFlags: 2, isRepeated: false });
  const again = await report(site, sent);
  test.same(JSON.parse(again.text), { counted: 0, unknownFlags: 2, isRepeated: true });
  await site.server.stop();
  const reader = openStoreReader({ directory: site.server.dataDir, mapBytes: 2 ** 30 });
  test.teardown(() => reader.close());
  const countsOf = (flag: string) =>
    [startedAt, startedAt + hourMs].flatMap((hour) => [...reader.queries.evaluationCounts(flag, hour)]);
  test.match(countsOf(first), [{ on: 5, off: 2, environmentNumber: 1 }]);
  test.match(countsOf(second), [{ on: 0, off: 1 }]);
  test.same(countsOf(foreign), [], 'a token counts for its own project alone');
});

t.test('no request of sync makes the service fail', async (test) => {
  const site = await bootSync(test);
  const header = fc.oneof(fc.constantFrom('*', '"', 'W/"x"', 'text/event-stream;q', ','), visible());
  const segment = fc.oneof(
    fc.constantFrom(site.shop.id, site.single.id, 'production', 'usage', '..', '%', '%ff', '%2F', '%00'),
    fc.string({ maxLength: 30 }).map((text) => encodeURIComponent(toUSVString(text))),
  );
  const requests = fc.record({
    method: fc.constantFrom('GET', 'POST', 'HEAD', 'PUT', 'OPTIONS', 'DELETE'),
    segments: fc.array(segment, { maxLength: 5 }),
    query: fc.constantFrom('', '?env=production', '?%', '?a&&=='),
    headers: fc.record(
      { 'If-None-Match': header, 'Last-Event-ID': header, Accept: visible() },
      { requiredKeys: [] },
    ),
    isKnown: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(requests, async ({ method, segments, query, headers, isKnown }) => {
      const path = `/sync/v1/${segments.join('/')}${query}`;
      const sent = { ...headers, ...(isKnown ? bearer(site.secret()) : {}) };
      const { status } = await site.client.send({ method, path, headers: sent });
      return status < 500;
    }),
    { numRuns: 300 },
  );
  const known = fc.record({
    reportId: fc.oneof(fc.string(), fc.constant('report-0002'), fc.anything()),
    flags: fc.oneof(
      fc.anything(),
      fc.array(
        fc.oneof(
          fc.anything(),
          fc.record({
            id: fc.constantFrom(idOf(site.shop.flags, 'first'), '', '__proto__'),
            on: fc.oneof(fc.integer(), fc.double(), fc.anything()),
            off: fc.nat(5),
          }),
        ),
        { maxLength: 5 },
      ),
    ),
  });
  const bodies = fc.oneof(known, fc.anything(), fc.string());
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const { status } = await report(site, textOf(body));
      return status === 200 || status === 400;
    }),
    { numRuns: 300 },
  );
  const long = await report(site, JSON.stringify({ reportId: 'x'.repeat(200_000), flags: [] }));
  test.equal(long.status, 413);
  test.equal((await site.get(site.path(), site.secret())).status, 200, 'and it goes on serving');
  test.notOk(site.server.lines.some((line) => line.includes('"level":50')));
});

function visible() {
  return fc.string({ unit: 'grapheme-ascii', maxLength: 40 });
}

function textOf(body: unknown): string {
  try {
    return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  } catch {
    return '[]';
  }
}

t.test('a report whose client does not wait any more is not looked up', async (test) => {
  const site = new PreparedStore();
  const directory = temporaryDirectory(test);
  await site.write(directory);
  const reader = openStoreReader({ directory, mapBytes: 2 ** 30 });
  test.teardown(() => reader.close());
  const reports = new UsageReports(reader.evaluation);
  const flags = [site.flag.id, 'unknown', site.flag.id].map((id) => ({ id, on: 2, off: 1 }));
  const body = Buffer.from(JSON.stringify({ reportId: 'report-0003', flags }));
  const count = (isWanted: boolean) => reports.count(body, site.project.id, 0, () => isWanted);
  test.equal(await count(false), null);
  test.match(await count(true), { flags: 1, evaluations: 6, unknownFlags: 1 }, 'a flag that is named twice');
});
