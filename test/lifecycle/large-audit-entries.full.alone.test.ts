import t, { type Test } from 'tap';
import type { AuditEntry } from '../../src/domain/audit/audit-entry.ts';
import { newId } from '../../src/support/random-id.ts';
import { openEventStream } from '../console/event-stream.ts';
import { PreparedStore } from '../console/prepared-store.ts';
import { auditEntryOf, flagChangeOf, flagOf } from '../storage/support/records.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { createHttpClient } from '../support/http-client.ts';
import { assertUndelayed, describe, startLatencyProbe } from '../support/latency-probe.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/*
 * Entries of 2 MiB, from patches of a long cohort list, are read, and evaluations meanwhile wait for less than 50 ms.
 */
t.setTimeout(180_000);
const entriesTotal = 40;
const cohortsTotal = 80_000;
const delayMaxMs = 50;

function cohorts(letter: string): string[] {
  return Array.from({ length: cohortsTotal }, (_, at) => `${letter}-${String(at).padStart(8, '0')}`);
}

function largeEntry(ledgerId: string, projectId: string, at: number): AuditEntry {
  const environment = at % 2 === 0 ? 'eu' : 'us';
  const changes = [{ field: 'cohorts', before: cohorts('b'), after: cohorts('a') }];
  return auditEntryOf(ledgerId, { at, projectId, environment, changes });
}

async function bootWithLargeEntries(t: Test) {
  const dataDir = temporaryDirectory(t);
  const prepared = new PreparedStore();
  const { organisation, project, flag } = prepared;
  const otherFlag = flagOf(project.id);
  prepared.add([flagChangeOf(null, otherFlag)]);
  const viewer = prepared.addMember('viewer');
  const authorization = prepared.addToken();
  for (let at = 1; at <= entriesTotal; at += 1) {
    prepared.add([{ kind: 'audit', entry: largeEntry(organisation.id, project.id, at) }]);
  }
  await prepared.write(dataDir);
  const server = await bootServer(t, { dataDir, settings: unlimited });
  const request = `GET /v1/flags/${flag.id}?targetingKey=probe HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const probe = await startLatencyProbe(t, [{ name: 'evaluation', port: server.port, request }]);
  const calm = await probe.during(async () => {}, 400);
  t.comment(`calm: ${describe(calm)}`);
  const beside = (t: Test, work: () => Promise<void>) => assertUndelayed(t, probe, calm, delayMaxMs, work);
  return { prepared, otherFlag, server, viewer, authorization, beside };
}

t.test('large entries of the audit log are read beside evaluations', async (t) => {
  const { prepared, otherFlag, server, viewer, authorization, beside } = await bootWithLargeEntries(t);
  const client = prepared.client(t, server.port, viewer);

  await t.test('a page of large entries', async (t) => {
    await beside(t, async () => {
      const page = (await client.send('GET', '/audit?environment=eu')).json;
      const [entry] = page.entries;
      const [change] = entry.changes;
      t.equal(entry.environment, 'eu');
      t.strictSame(change.after, cohorts('a').slice(0, 100), 'a list begins');
      t.strictSame(change.before, cohorts('b').slice(0, 100));
      t.strictSame(change.cut, { before: cohortsTotal - 100, after: cohortsTotal - 100 });
    });
  });

  await t.test('a filter that keeps none of them', async (t) => {
    await beside(t, async () => {
      let query = '';
      let requests = 0;
      for (let next: string | null = ''; next !== null && requests < entriesTotal; requests += 1) {
        const path = `/audit?actor=member:${newId()}${query}`;
        const page: { entries: unknown[]; nextCursor: string | null } = (await client.send('GET', path)).json;
        t.strictSame(page.entries, []);
        next = page.nextCursor;
        query = `&cursor=${next}`;
      }
      t.ok(requests < entriesTotal, 'the log was read to its end');
    });
  });

  await t.test('a time long ago', async (t) => {
    await beside(t, async () => {
      t.strictSame((await client.send('GET', '/audit?from=0&to=1')).json.entries, []);
    });
  });

  for (const format of ['ndjson', 'csv']) {
    await t.test(`an export as ${format}`, async (t) => {
      await beside(t, async () => {
        const exported = await client.send('GET', `/audit/export?format=${format}&environment=us`);
        t.equal(exported.text.split('b-00079999').length, entriesTotal / 2 + 1, 'lists are complete');
      });
    });
  }

  await t.test('pages that watch these changes', async (t) => {
    const http = createHttpClient(t, { port: server.port });
    const events = `/projects/${prepared.project.id}/events`;
    const streams = await Promise.all(Array.from({ length: 4 }, () => openEventStream(t, client, events)));
    for (const stream of streams) t.match(await stream.next(), { event: 'ready' });
    let letter = 'c';
    await beside(t, async () => {
      letter = letter === 'c' ? 'd' : 'c';
      const path = `/api/v1/flags/${otherFlag.id}`;
      const body = JSON.stringify({ cohorts: cohorts(letter) });
      const { status } = await http.send({ method: 'PATCH', path, headers: { authorization }, body });
      t.equal(status, 200);
      for (const stream of streams) {
        t.match(await stream.next(), { event: 'changed', data: { flags: [otherFlag.id] } });
      }
    });
    for (const stream of streams) stream.close();
  });
  await server.stop();
});
