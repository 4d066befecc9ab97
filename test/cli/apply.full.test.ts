import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { exampleDocument } from '../operator/open-operator.ts';
import { type BootedServer, bootServer } from '../support/booted-server.ts';
import { type CommandResult, runBurgee, type Settings } from '../support/burgee-command.ts';
import { createHttpClient } from '../support/http-client.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(300_000);

interface Place {
  readonly dataDir: string;
  apply(document: unknown, settings?: Settings): Promise<CommandResult>;
}

function place(t: Test, folder = 'data'): Place {
  const directory = temporaryDirectory(t);
  const dataDir = join(directory, folder);
  return {
    dataDir,
    apply: (document, settings) => {
      const file = join(directory, 'file.json');
      writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
      return runBurgee(['apply', file, '--data-dir', dataDir], settings);
    },
  };
}

/** Runs a test twice: on the directory itself, and through a server that has it open. */
async function inBothWays(
  name: string,
  run: (t: Test, place: Place, server: BootedServer | null) => Promise<void>,
): Promise<void> {
  await t.test(`offline: ${name}`, (t) => run(t, place(t), null));
  await t.test(`through the server: ${name}`, async (t) => {
    const there = place(t);
    const server = await bootServer(t, { dataDir: there.dataDir });
    await run(t, there, server);
    await server.stop();
  });
}

await inBothWays(
  'exactly one JSON document on standard output, the rest on standard error',
  async (t, there) => {
    const first = await there.apply(exampleDocument);
    t.equal(first.code, 0, first.stderr);
    const answer = JSON.parse(first.stdout);
    const id = /^[0-9A-Za-z]{20}$/;
    const secret = /^burgee_[0-9A-Za-z]{49}$/;
    t.match(answer, {
      projects: {
        shop: { id, flags: { checkout: id }, audiences: { Pro: id }, tokens: { ci: { id, secret } } },
      },
    });
    t.strictSame(Object.keys(answer.projects.shop), ['id', 'flags', 'audiences', 'tokens']);
    t.match(first.stderr, /^Applied .*: 6 created, 0 changed, 0 as they were\.$/m);

    const second = await there.apply(exampleDocument);
    t.equal(second.code, 0);
    answer.projects.shop.tokens.ci.secret = null;
    t.strictSame(JSON.parse(second.stdout), answer, 'a second apply gives the same ids and no secret');
    t.match(second.stderr, /: 0 created, 0 changed, 6 as they were\.$/m);
  },
);

await inBothWays(
  'a file with a mistake is refused as a whole, with paths and exit 1',
  async (t, there, server) => {
    const projects = [
      {
        name: 'shop',
        flags: [
          { name: 'f', trafficPercentage: 101 },
          { name: 'g', colour: 1 },
        ],
      },
    ];
    const refused = await there.apply({ organisations: [{ name: 'Acme', plan: 'free', projects }] });
    t.equal(refused.code, 1);
    const at = 'organisations[0].projects[0].flags';
    const problems = [
      `${at}[0].trafficPercentage must be a whole number between 0 and 100`,
      `unknown field "${at}[1].colour"`,
    ];
    for (const problem of problems) t.ok(refused.stderr.includes(`  - ${problem}\n`), problem);
    t.strictSame(JSON.parse(refused.stdout).problems, problems);
    if (server === null)
      t.match(
        (await runBurgee(['organisation', 'set-plan', 'Acme', '--plan', 'free', '--data-dir', there.dataDir]))
          .stderr,
        /No organisation/,
      );
    const plain = await there.apply({
      organisations: [{ name: 'Acme', plan: 'free', projects: [{ name: 'shop' }] }],
    });
    t.match(plain.stderr, /: 2 created/, 'nothing of the refused file was stored');
  },
);

await inBothWays(
  'very many flags take minutes at most, with progress; a second apply changes nothing',
  async (t, there, server) => {
    // Both ways differ only in the writing: a fifth of the flags is enough for the second.
    const count = server === null ? 20_000 : 100_000;
    const counted = count.toLocaleString('en-US');
    const environments = (index: number) => ({
      production: {
        enabled: index % 2 === 0,
        trafficPercentage: index % 101,
        cohorts: ['own'],
        audience: 'Pro',
      },
      staging: { enabled: true },
    });
    const flags = Array.from({ length: count }, (_, index) => ({
      name: `flag-${index}`,
      description: 'One of very many',
      tags: ['many'],
      environments: environments(index),
    }));
    const audiences = [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro'] }] }];
    const project = { name: 'large', environments: ['production', 'staging'], audiences, flags };
    const document = JSON.stringify({
      organisations: [{ name: 'Acme', plan: 'enterprise', projects: [project] }],
    });
    const startedAt = Date.now();
    const first = await there.apply(document);
    const seconds = (Date.now() - startedAt) / 1000;
    t.comment(`${counted} flags in ${seconds.toFixed(1)} s`);
    t.equal(first.code, 0, first.stderr);
    // Beside other tests on a slow machine it takes several times as long as alone.
    t.ok(seconds < 180);
    const lines = first.stderr.split('\n');
    t.ok(lines.includes(`checked ${counted} of ${counted} flags (100 %)`), first.stderr);
    t.ok(lines.includes(`written ${counted} of ${counted} flags (100 %)`), first.stderr);
    const ids = Object.values<string>(JSON.parse(first.stdout).projects.large.flags);
    t.equal(new Set(ids).size, count);
    if (server !== null) {
      const client = createHttpClient(t, { port: server.port });
      const { text } = await client.send({ path: `/v1/flags/${ids[count - 1]}?env=staging&targetingKey=x` });
      t.match(JSON.parse(text), { name: `flag-${count - 1}` });
    }
    const second = await there.apply(document);
    t.match(second.stderr, new RegExp(`: 0 created, 0 changed, ${count + 3} as they were\\.`));
  },
);

t.test('a change through the server is seen by the next evaluation', async (t) => {
  const there = place(t);
  const server = await bootServer(t, { dataDir: there.dataDir });
  const client = createHttpClient(t, { port: server.port });
  const document = (enabled: boolean) => ({
    organisations: [
      {
        name: 'Acme',
        plan: 'free',
        projects: [{ name: 'site', flags: [{ name: 'f', enabled, trafficPercentage: 100 }] }],
      },
    ],
  });
  const { stdout } = await there.apply(document(false));
  const id: string = JSON.parse(stdout).projects.site.flags.f;
  for (const enabled of [true, false, true]) {
    t.equal((await there.apply(document(enabled))).code, 0);
    const { text } = await client.send({ path: `/v1/flags/${id}` });
    t.equal(JSON.parse(text).enabled, enabled);
  }
  await server.stop();
});

t.test('a data directory whose path is too long for a socket', async (t) => {
  const there = place(t, join('d'.repeat(100), 'e'.repeat(100)));
  const server = await bootServer(t, { dataDir: there.dataDir });
  const applied = await there.apply(exampleDocument);
  t.equal(applied.code, 0, applied.stderr);
  await server.stop();
  t.notOk(existsSync(join(there.dataDir, 'burgee.sock.path')));
});

t.test('after kill -9 of the server, apply works on the directory itself, and cleans up', async (t) => {
  const there = place(t);
  const server = await bootServer(t, { dataDir: there.dataDir });
  t.equal((await there.apply(exampleDocument)).code, 0);
  server.signal('SIGKILL');
  await server.ended;
  t.ok(existsSync(join(there.dataDir, 'burgee.sock')), 'a stale socket is there');
  t.match((await there.apply(exampleDocument)).stderr, /: 0 created, 0 changed/);
  t.notOk(existsSync(join(there.dataDir, 'burgee.sock')));
});

t.test('a missing file, and one that is no JSON', async (t) => {
  const there = place(t);
  const missing = await runBurgee(['apply', '/no/such/file.json', '--data-dir', there.dataDir]);
  t.match(missing, { code: 1, stderr: /\/no\/such\/file\.json cannot be read/ });
  const broken = await there.apply('{"organisations": [');
  t.match(broken, { code: 1, stderr: /line 1, column 20/ });
});

t.test('an unusable directory is reported at once', async (t) => {
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'file'), '');
  const startedAt = Date.now();
  const result = await runBurgee([
    'apply',
    join(directory, 'file'),
    '--data-dir',
    join(directory, 'file', 'data'),
  ]);
  t.match(result, { code: 1, stderr: /cannot be created/ });
  t.ok(Date.now() - startedAt < 10_000, 'it waits for no server');
});

t.test('warnings go to standard error, and do not fail', async (t) => {
  const tokens = [{ name: 'ci', permission: 'read', environments: ['nowhere'] }];
  const organisation = { name: 'Acme', plan: 'free', projects: [{ name: 'site', tokens }] };
  const { code, stderr } = await place(t).apply({ organisations: [organisation] });
  t.equal(code, 0);
  t.match(stderr, /^burgee: warning: .*lists nowhere/m);
});
