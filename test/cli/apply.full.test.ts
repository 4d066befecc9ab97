import { existsSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { exampleDocument } from '../operator/open-operator.ts';
import { type BootedServer, bootServer, unlimited } from '../support/booted-server.ts';
import {
  type CommandResult,
  finishCommand,
  runBurgee,
  type Settings,
  spawnBurgee,
} from '../support/burgee-command.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
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
    t.equal(refused.stdout, '');
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

t.test(
  'beside the apply of a file of 60 MiB, changes are made or refused by their deadline, and flags are evaluated',
  async (t) => {
    const there = place(t);
    const deadlineMs = 1000;
    const settings = { ...unlimited, BURGEE_REQUEST_DEADLINE_MS: String(deadlineMs) };
    const server = await bootServer(t, { dataDir: there.dataDir, settings });
    const client = createHttpClient(t, { port: server.port });
    const small = await there.apply(exampleDocument);
    const { flags, tokens } = JSON.parse(small.stdout).projects.shop;
    const evaluation = { path: `/v1/flags/${flags.checkout}?env=staging&targetingKey=x` };
    let isApplied = false;
    const statuses: number[] = [];
    let slowestMs = 0;
    let accepted = -1;
    const changing = (async () => {
      for (let percentage = 0; !isApplied; percentage = (percentage + 1) % 100) {
        const body = JSON.stringify({ trafficPercentage: percentage });
        const since = performance.now();
        const { status } = await client.send({
          ...{ method: 'PATCH', path: `/api/v1/flags/${flags.checkout}?env=staging`, body },
          headers: bearer(tokens.ci.secret),
        });
        slowestMs = Math.max(slowestMs, performance.now() - since);
        statuses.push(status);
        if (status === 200) accepted = percentage;
        t.equal((await client.send(evaluation)).status, 200);
      }
    })();
    const cohorts = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(200, 'c'));
    const many = Array.from({ length: 3600 }, (_, index) => ({ name: `flag-${index}`, cohorts }));
    const projects = ['a', 'b'].map((name) => ({ name, flags: many }));
    const text = JSON.stringify({ organisations: [{ name: 'Acme', plan: 'enterprise', projects }] });
    t.ok(text.length > 55 * 2 ** 20 && text.length < 64 * 2 ** 20, `${text.length} bytes`);
    const startedAt = performance.now();
    const large = await there.apply(text);
    const appliedMs = performance.now() - startedAt;
    isApplied = true;
    await changing;
    t.match(large, { code: 0, stderr: /: 7202 created, 0 changed, 1 as/ });
    t.comment(`slowest change ${Math.round(slowestMs)} ms of ${statuses.length}`);
    t.strictSame([...new Set(statuses)].sort(), [200, 503], 'each change is made, or refused');
    // On a busy machine everything takes several times as long, the apply too.
    t.ok(slowestMs < deadlineMs + appliedMs / 4, `${slowestMs} ms of ${appliedMs}`);
    const listed = await client.send({
      path: `/api/v1/flags/${flags.checkout}?env=staging`,
      headers: bearer(tokens.ci.secret),
    });
    t.match(JSON.parse(listed.text), { trafficPercentage: accepted }, 'no refused change was made');
    t.match((await there.apply(text)).stderr, /: 0 created, 0 changed, 7203 as they were\./);
    await server.stop();
  },
);

t.test('a file of more than 64 MiB is refused before it is read', async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'large.json');
  writeFileSync(file, '');
  truncateSync(file, 64 * 2 ** 20 + 1);
  const { code, stderr } = await runBurgee(['apply', file, '--data-dir', join(directory, 'data')]);
  t.equal(code, 1);
  t.match(stderr, /is larger than 64 MiB\. Split it, one file per project/);
});

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

await inBothWays(
  'the secret of a token is made ahead, and read by the command alone',
  async (t, there, server) => {
    const [ofFile, ofVariable, second] = await Promise.all(
      [1, 2, 3].map(async () => (await runBurgee(['token', 'secret'])).stdout.trim()),
    );
    const secretFile = join(temporaryDirectory(t), 'ci.secret');
    writeFileSync(secretFile, `${ofFile}\n`);
    const declared = (...tokens: object[]) => ({
      organisations: [{ name: 'Acme', plan: 'enterprise', projects: [{ name: 'shop', tokens }] }],
    });
    const settings = { CI_SECRET: ofVariable ?? '' };
    const both = declared(
      { name: 'file', permission: 'read', secretFile },
      { name: 'variable', permission: 'write', secretVariable: 'CI_SECRET' },
      { name: 'made', permission: 'read' },
    );
    const first = await there.apply(both, settings);
    t.equal(first.code, 0, first.stderr);
    const { tokens } = JSON.parse(first.stdout).projects.shop;
    t.match(tokens, { file: { secret: null }, variable: { secret: null }, made: { secret: /^burgee_/ } });
    t.match(await there.apply(both, settings), { code: 0, stderr: /0 created, 0 changed/ });

    const token = { name: 'file', permission: 'read' };
    const at = 'organisations[0].projects[0].tokens[0]';
    writeFileSync(`${secretFile}.other`, `${second}`);
    writeFileSync(`${secretFile}.wrong`, `${ofFile?.slice(0, -1)}_`);
    const refusals: readonly (readonly [object, string])[] = [
      [{ ...token, secretFile: `${secretFile}.none` }, `${at}.secretFile: ${secretFile}.none cannot be read`],
      [
        { ...token, secretFile: `${secretFile}.wrong` },
        `${at}.secretFile: ${secretFile}.wrong does not hold the secret`,
      ],
      [
        { ...token, secretVariable: 'NO_SECRET' },
        `${at}.secretVariable: the environment variable NO_SECRET is not set`,
      ],
      [
        { ...token, secretFile, secretVariable: 'CI_SECRET' },
        `${at}.secretVariable is not accepted together`,
      ],
      [{ ...token, secretFile: ofFile }, `${at}.secretFile must name the place of the secret`],
      [{ ...token, secretHash: '0'.repeat(64) }, `${at}.secretHash is not accepted in a file`],
      [
        { ...token, secretFile: `${secretFile}.other` },
        `${at}.secret differs from that of the existing token "file"`,
      ],
      [
        { ...token, name: 'again', secretFile },
        `${at}: its secret is that of token ${tokens.file.id} already`,
      ],
    ];
    for (const [wrong, problem] of refusals) {
      const refused = await there.apply(declared(wrong), settings);
      t.equal(refused.code, 1);
      t.ok(refused.stderr.includes(problem), `${problem}: ${refused.stderr}`);
      for (const secret of [ofFile, ofVariable, second])
        t.notOk(refused.stderr.includes(secret ?? ''), 'no secret');
    }
    const running = server ?? (await bootServer(t, { dataDir: there.dataDir }));
    const client = createHttpClient(t, { port: running.port });
    for (const [name, secret] of [
      ['file', ofFile],
      ['variable', ofVariable],
    ] as const) {
      const answer = await client.send({
        method: 'GET',
        path: '/api/v1/token',
        headers: bearer(secret ?? ''),
      });
      t.match(JSON.parse(answer.text), { id: tokens[name].id, name });
    }
    if (server === null) await running.stop();
  },
);

t.test(
  'the command names what it writes to, and makes a store only in a directory that was named',
  async (t) => {
    const directory = temporaryDirectory(t);
    const file = join(directory, 'flags.json');
    writeFileSync(file, JSON.stringify(exampleDocument));
    const run = (arguments_: readonly string[], settings: Settings = {}, input: string | null = null) => {
      const child = spawnBurgee(['apply', ...arguments_], settings, ['env', '-C', directory]);
      if (input !== null) child.stdin.write(input);
      return finishCommand(child);
    };
    const dataDir = join(directory, 'data');
    const refused = await run([file]);
    t.match(refused, { code: 1, stderr: `There is no store in ${dataDir}. Name the right directory` });
    t.notOk(existsSync(dataDir), 'nothing is made');
    const input = JSON.stringify(exampleDocument);
    const made = await run(['-'], { BURGEE_DATA_DIR: './data' }, input);
    t.match(made, { code: 0, stderr: `Applied standard input to the new store in ${dataDir}: 6 created` });
    t.match(JSON.parse(made.stdout), { projects: { shop: {} } });
    t.match(await run([file]), { code: 0, stderr: `to the store in ${dataDir}: 0 created, 0 changed` });
    const server = await bootServer(t, { dataDir });
    t.match(await run([file]), { code: 0, stderr: `to the running server of ${dataDir}: 0 created` });
    await server.stop();
    t.match(await run(['-'], {}, '{'), { code: 1, stderr: /standard input is refused/ });
    const large = await run(['-'], {}, 'x'.repeat(64 * 2 ** 20 + 1));
    t.match(large, { code: 1, stderr: /Standard input is larger than 64 MiB/ });
  },
);
