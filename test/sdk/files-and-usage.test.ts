import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { SyncSnapshot } from '../../src/domain/sync/configuration.ts';
import { CacheFile, newerOf } from '../../src/sdk/configuration/kept-files.ts';
import { createRandom } from '../support/random.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { randomConfiguration } from './wire/random-configuration.ts';
import { expectSameAnswers, startClient, until } from './wire/wire-client.ts';
import { WireServer } from './wire/wire-server.ts';

t.setTimeout(60_000);

async function begin(t: Test) {
  const random = createRandom(1);
  const server = await new WireServer(randomConfiguration(random, 60)).start(t);
  return { random, server, folder: temporaryDirectory(t) };
}

t.test(
  'the cache file has the newest configuration, for its owner alone and without the token',
  async (t) => {
    const { random, server, folder } = await begin(t);
    const cacheFile = join(folder, 'flags.json');
    // A busy disk may take longer than a program's last second to write the file.
    const client = await startClient(t, server, { cacheFile }, { closeMs: 30_000 });
    for (let count = 0; count < 20; count += 1) server.change(random);
    await expectSameAnswers(t, client, server);
    await client.close();
    const text = readFileSync(cacheFile, 'utf8');
    t.equal((JSON.parse(text) as SyncSnapshot).version, server.version);
    t.notMatch(text, server.token);
    t.equal(statSync(cacheFile).mode & 0o777, 0o600);
    t.same(readdirSync(folder), ['flags.json'], 'nothing is left beside it');
  },
);

t.test(
  'the end waits for the newest configuration, also where a write takes longer than the interval',
  async (t) => {
    const path = join(temporaryDirectory(t), 'flags.json');
    const intervalMs = 1;
    let version = 0;
    const content = () => ({ version: `h1.${version}`, padding: 'x'.repeat(30_000_000) });
    // Only what is written matters here.
    const file = new CacheFile(path, content as unknown as () => SyncSnapshot, intervalMs);
    file.note();
    // The write begins in a microtask, and takes the content then.
    await null;
    version = 1;
    file.note();
    // Now the timer waits for the first write, too.
    await pause(5 * intervalMs);
    t.equal(existsSync(path), false, 'the first write is under way');
    await file.flush();
    t.match(readFileSync(path, 'latin1').slice(0, 30), '"version":"h1.1"');
    file.stop();
  },
);

t.test('while the service is away a client begins with its cache file, and resumes there', async (t) => {
  const { random, server, folder } = await begin(t);
  const cacheFile = join(folder, 'flags.json');
  await (await startClient(t, server, { cacheFile })).close();
  await server.kill();
  const client = await startClient(t, server, { cacheFile, startTimeoutMs: 50 });
  t.equal(client.status, 'stale');
  t.equal(client.version, server.version);
  server.change(random);
  await server.start();
  await expectSameAnswers(t, client, server);
  t.equal(server.requests.at(-1)?.lastEventId, 'h1.1', 'it asked for what it missed alone');
});

t.test('a client begins with its bootstrap, a file or its content', async (t) => {
  const { server, folder } = await begin(t);
  const file = join(folder, 'bootstrap.json');
  writeFileSync(file, JSON.stringify(server.snapshot));
  await server.kill();
  for (const bootstrap of [file, server.snapshot as SyncSnapshot]) {
    const client = await startClient(t, server, { bootstrap, startTimeoutMs: 20 });
    t.equal(client.status, 'stale');
    t.equal(client.version, server.version);
  }
});

t.test('a file that is damaged, missing or of another project keeps nobody from starting', async (t) => {
  const { server, folder } = await begin(t);
  await server.kill();
  const warnings: string[] = [];
  const hear = (warning: Error) => warnings.push(warning.message);
  process.on('warning', hear);
  t.teardown(() => process.off('warning', hear));
  const text = JSON.stringify(server.snapshot);
  const contents = [
    '',
    text.slice(0, -1),
    '[]',
    text.replace('Qm4ZtR9bNdk3VvX0aPq1', 'Qm4ZtR9bNdk3VvX0aPq2'),
    '{"version":1}',
  ];
  for (const [index, content] of contents.entries()) {
    const cacheFile = join(folder, `${index}.json`);
    writeFileSync(cacheFile, content);
    const client = await startClient(t, server, { cacheFile, startTimeoutMs: 20 });
    t.equal(client.version, null, content.slice(0, 20));
    t.equal(client.status, 'error');
    await client.close();
    t.equal(readFileSync(cacheFile, 'utf8'), content, 'what it cannot read it does not replace');
  }
  await startClient(t, server, { bootstrap: join(folder, 'missing.json'), startTimeoutMs: 20 });
  t.ok(
    warnings.some((warning) => /missing[.]json is not used/.test(warning)),
    'a missing bootstrap is said',
  );
});

t.test('a cache file of another format is a miss: the client asks, and writes it anew', async (t) => {
  const { server, folder } = await begin(t);
  const cacheFile = join(folder, 'flags.json');
  const { flags, ...others } = server.snapshot as SyncSnapshot;
  const former = flags.map(({ names: _, ...flag }) => flag);
  writeFileSync(cacheFile, JSON.stringify({ ...others, flags: former }));
  const client = await startClient(t, server, { cacheFile }, { closeMs: 30_000 });
  t.equal(client.status, 'ready');
  await expectSameAnswers(t, client, server);
  await client.close();
  t.same(JSON.parse(readFileSync(cacheFile, 'utf8')), server.snapshot);
});

t.test('a cache file that cannot be written is a warning, and the client goes on', async (t) => {
  const { random, server, folder } = await begin(t);
  const warned = new Promise<string>((resolve) => process.once('warning', ({ message }) => resolve(message)));
  const client = await startClient(t, server, { cacheFile: join(folder, 'no', 'folder', 'flags.json') });
  t.match(await warned, /cannot be written/);
  server.change(random);
  await expectSameAnswers(t, client, server);
});

t.test('of two files of one history the newer one counts, else the one that was chosen', async (t) => {
  const at = (version: string): SyncSnapshot => ({
    version,
    projectId: 'p',
    environment: null,
    flags: [],
    audiences: [],
  });
  t.equal(newerOf(at('h.1'), at('h.2'))?.version, 'h.2');
  t.equal(newerOf(at('h.3'), at('h.2'))?.version, 'h.3');
  t.equal(newerOf(at('g.1'), at('h.2'))?.version, 'g.1');
  t.equal(newerOf(null, at('h.2'))?.version, 'h.2');
  t.equal(newerOf(at('h.1'), null)?.version, 'h.1');
  t.equal(newerOf(null, null), null);
});

function reported({ reports }: WireServer, id: string): { on: number; off: number; reports: number } {
  const ids = new Set<string>();
  let [on, off] = [0, 0];
  for (const report of reports) {
    if (ids.has(report.reportId)) continue;
    ids.add(report.reportId);
    for (const flag of report.flags) {
      if (flag.id !== id) continue;
      on += flag.on;
      off += flag.off;
    }
  }
  return { on, off, reports: ids.size };
}

t.test('every answer is counted once, also over changes, failures and the end', async (t) => {
  const { random, server } = await begin(t);
  // A busy machine may take longer than a second for the last report.
  const client = await startClient(t, server, {}, { closeMs: 20_000 });
  const [flag] = server.configuration.flags.values();
  if (flag === undefined) throw new Error('there are flags');
  let isFailing = true;
  let attempts = 0;
  server.fault = (request, response, kind) => {
    if (kind !== 'usage') return false;
    attempts += 1;
    // Two of three fail: a client drops a report after five attempts.
    if (!isFailing || attempts % 3 === 0) return false;
    // The report arrives, and its answer does not.
    request.resume().on('end', () => response.socket?.destroy());
    return true;
  };
  const counts = { on: 0, off: 0 };
  // A busy machine sends the third report later.
  for (let round = 0; round < 40 || (reported(server, flag.id).reports <= 3 && round < 400); round += 1) {
    for (let count = 0; count < 100; count += 1) {
      if (client.isOn(flag.id, { targetingKey: `u${count}`, cohort: 'staff' }, false)) counts.on += 1;
      else counts.off += 1;
    }
    client.explain(flag.id, {}, false);
    server.configuration.flags.set(flag.id, { ...flag, revision: round + 2, trafficPercentage: round });
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (round % 10 === 5) server.cutStreams();
    if (round % 4 === 2 && server.configuration.flags.has(flag.id)) server.change(random);
  }
  isFailing = false;
  await client.close();
  // A failed report may be sent again by the next one only: it is of the same id.
  if (server.configuration.flags.has(flag.id)) {
    const { on, off, reports } = reported(server, flag.id);
    t.same({ on, off }, counts);
    t.ok(reports > 2, 'in batches');
    t.ok(attempts > reports, 'some of which were sent again');
  }
});

t.test('usage that nobody takes is bounded, and closing waits for at most a moment', async (t) => {
  const { server } = await begin(t);
  let attempts = 0;
  server.fault = (_request, response, kind) => {
    if (kind !== 'usage') return false;
    attempts += 1;
    response.writeHead(503).end();
    return true;
  };
  const client = await startClient(t, server, {}, { usageMs: 30, closeMs: 200 });
  const [flag] = server.configuration.flags.keys();
  const ask = setInterval(() => client.isOn(flag ?? '', { targetingKey: 'u' }, false), 1);
  await until(client, () => attempts >= 12);
  clearInterval(ask);
  server.fault = (_request, _response, kind) => kind === 'usage';
  const startedAt = performance.now();
  client.isOn(flag ?? '', { targetingKey: 'u' }, false);
  await client.close();
  t.ok(performance.now() - startedAt < 2000);
});

t.test('a program that never stops asking reports once in a period, and not after its end', async (t) => {
  const { server } = await begin(t);
  const [flag = ''] = server.configuration.flags.keys();
  const usageMs = 100;
  // Each answer to a report comes after a further question: there is always something to report.
  server.fault = (_request, _response, kind) => {
    if (kind === 'usage') client.isOn(flag, { targetingKey: 'u' }, false);
    return false;
  };
  const client = await startClient(t, server, {}, { usageMs });
  client.isOn(flag, { targetingKey: 'u' }, false);
  await until(client, () => server.reports.length >= 4);
  t.ok(Math.min(...usageGaps(server)) >= usageMs * 0.9, 'never sooner than a period after the last one');
  const before = server.reports.length;
  await client.close();
  t.match(client, { status: 'stale', why: 'The client was closed.' });
  t.ok(server.reports.length <= before + 2, 'at the end one report, beside the one that was on its way');
});

t.test(
  'a report that has the new token already does not keep the client waiting with the old one',
  async (t) => {
    const { server } = await begin(t);
    const [flag = ''] = server.configuration.flags.keys();
    let token = server.token;
    // The report is sent before the client looks whether there is a new token.
    const timings = { usageMs: 100, pulseMs: 1500, refusedMs: 60_000 };
    const client = await startClient(t, server, { token: () => token }, timings);
    server.token = 'another';
    server.cutStreams();
    await until(client, () => client.status === 'error');
    token = server.token;
    client.isOn(flag, { targetingKey: 'u' }, false);
    const givenAt = performance.now();
    await until(client, () => client.status === 'ready' || performance.now() - givenAt > 10_000);
    t.equal(server.reports.length, 1, 'the report was sent');
    t.equal(client.status, 'ready');
  },
);

t.test('a report that is refused for its token is sent again minutes later', async (t) => {
  const { server } = await begin(t);
  const [flag = ''] = server.configuration.flags.keys();
  const timings = { usageMs: 20, refusedMs: 300 };
  const client = await startClient(t, server, {}, timings);
  server.token = 'another';
  const ask = setInterval(() => client.isOn(flag, { targetingKey: 'u' }, false), 1);
  t.teardown(() => clearInterval(ask));
  await until(client, () => usageGaps(server).length >= 2);
  t.ok(Math.min(...usageGaps(server)) >= timings.refusedMs * 0.9);
  t.equal(server.reports.length, 0);
});

/** Milliseconds between requests that report usage. */
function usageGaps({ requests }: WireServer): number[] {
  const times = requests.filter(({ kind }) => kind === 'usage').map(({ at }) => at);
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
}
