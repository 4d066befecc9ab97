import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { exampleDocument } from '../operator/open-operator.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { bearer, createHttpClient } from '../support/http-client.ts';
import { projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(120_000);

async function provisioned(t: Test): Promise<{ dataDir: string; token: { id: string; secret: string } }> {
  const directory = temporaryDirectory(t);
  const dataDir = join(directory, 'data');
  const answer = await provision(dataDir, directory, exampleDocument);
  return { dataDir, token: tokenOf(projectOf(answer, 'shop'), 'ci') };
}

t.test('offline: a plan is set, and setting it again has no effect', async (t) => {
  const { dataDir } = await provisioned(t);
  const setPlan = (...options: string[]) =>
    runBurgee(['organisation', 'set-plan', 'Acme', '--data-dir', dataDir, ...options]);
  const first = await setPlan('--plan', 'free', '--trial-ends-at', '2030-01-31', '--json');
  const organisation = { plan: 'free', trialEndsAt: Date.UTC(2030, 0, 31), subscription: 'active' };
  t.match(JSON.parse(first.stdout), { changed: true, organisation });
  t.match(JSON.parse((await setPlan('--plan', 'free', '--json')).stdout), { changed: false, organisation });
  const text = await setPlan('--trial-ends-at', 'none', '--subscription', 'lapsed');
  t.equal(text.stdout, 'Acme: plan free, no trial, subscription lapsed\n');
  const again = await setPlan('--trial-ends-at', 'none');
  t.equal(again.stdout, 'Acme: plan free, no trial, subscription lapsed (as before)\n');
});

t.test('through the server: plan and revocation take effect at once', async (t) => {
  const { dataDir, token } = await provisioned(t);
  const server = await bootServer(t, { dataDir });
  const client = createHttpClient(t, { port: server.port });
  const status = async () =>
    (await client.send({ path: '/api/v1/flags', headers: bearer(token.secret) })).status;
  const run = async (...arguments_: string[]) => {
    const result = await runBurgee([...arguments_, '--data-dir', dataDir]);
    t.equal(result.code, 0, result.stderr);
    return result.stdout;
  };
  t.equal(await status(), 200);
  await run('organisation', 'set-plan', 'Acme', '--plan', 'free');
  t.equal(await status(), 402);
  await run('organisation', 'set-plan', 'Acme', '--trial-ends-at', '2999-01-01T00:00:00Z');
  t.equal(await status(), 200);
  await run('organisation', 'set-plan', 'Acme', '--subscription', 'lapsed');
  t.equal(await status(), 402);
  await run('organisation', 'set-plan', 'Acme', '--subscription', 'active');
  t.match(await run('token', 'revoke', token.id), /^Token ci \(\w{20}\) is revoked: /);
  t.equal(await status(), 401);
  t.match(await run('token', 'revoke', token.id), /was revoked already: /);
  t.match(JSON.parse(await run('token', 'revoke', token.id, '--json')), {
    changed: false,
    token: { id: token.id },
  });
  await server.stop();
});

t.test('a missing record is reported, and a secret given by mistake is not printed', async (t) => {
  const { dataDir, token } = await provisioned(t);
  const unknown = await runBurgee([
    'organisation',
    'set-plan',
    'Nobody',
    '--plan',
    'free',
    '--data-dir',
    dataDir,
  ]);
  t.match(unknown, { code: 1, stderr: /No organisation has the name or id "Nobody"/ });
  const secret = await runBurgee(['token', 'revoke', token.secret, '--data-dir', dataDir]);
  t.match(secret, { code: 1, stderr: /never the secret/ });
  t.notMatch(secret.stderr + secret.stdout, token.secret);
});

t.test('a command that cannot create a store makes none', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  for (const command of [
    ['organisation', 'set-plan', 'Acme', '--plan', 'free'],
    ['token', 'revoke', 'x'.repeat(20)],
    ['check'],
  ]) {
    const result = await runBurgee([...command, '--data-dir', dataDir]);
    t.equal(result.code, 1);
    t.match(result.stderr, new RegExp(`^burgee: There is no store in ${dataDir}`));
    t.notOk(existsSync(dataDir));
  }
  mkdirSync(dataDir);
  t.match(await runBurgee(['check', '--data-dir', dataDir]), { code: 1, stderr: /There is no store/ });
});

t.test('check: clean offline, beside a server, and right after kill -9', async (t) => {
  const { dataDir } = await provisioned(t);
  const check = () => runBurgee(['check', '--data-dir', dataDir, '--json']);
  const clean = await check();
  t.equal(clean.code, 0);
  t.match(JSON.parse(clean.stdout), { isClean: true, findings: [], counts: { flags: 1 } });
  const server = await bootServer(t, { dataDir });
  t.equal((await check()).code, 0);
  server.signal('SIGKILL');
  await server.ended;
  const text = await runBurgee(['check', '--data-dir', dataDir]);
  t.match(text, { code: 0, stdout: new RegExp(`^${dataDir} is clean: \\d+ entries`) });
});

t.test('check: a record damaged on disk is found, exit 3', async (t) => {
  const { dataDir } = await provisioned(t);
  const path = join(dataDir, 'burgee.mdb');
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf('flag-wide'); at !== -1; at = bytes.indexOf('flag-wide', at + 1))
    bytes[at] = 0x46;
  writeFileSync(path, bytes);
  const { code, stdout } = await runBurgee(['check', '--data-dir', dataDir]);
  t.equal(code, 3);
  t.match(stdout, /is damaged: \d+ findings\.\n {2}- /);
});

t.test(
  'a process that cannot read the store to its end has found damage only by certain signals',
  async (t) => {
    const { dataDir } = await provisioned(t);
    const directory = temporaryDirectory(t);
    const target = join(directory, 'backup');
    const source = join(directory, 'source');
    t.equal((await runBurgee(['backup', source, '--data-dir', dataDir])).code, 0);
    const commands = [
      ['check', '--data-dir', dataDir],
      ['backup', target, '--data-dir', dataDir],
      ['restore', source, '--data-dir', target],
    ];
    /** Loaded by the processes that walk a store and copy one. */
    const ends: Readonly<Record<string, readonly [program: string, code: number, says: RegExp]>> = {
      "process.kill(process.pid, 'SIGKILL')": ['check-walk', 1, /could not be checked: .*SIGKILL/],
      "throw new Error('Cannot find native library')": [
        'check-walk',
        1,
        /could not be checked: .*native library/,
      ],
      "process.kill(process.pid, 'SIGBUS')": ['check-walk', 3, /is damaged/],
      "process.kill(process.pid, 'SIGTERM')": [
        'backup-copy',
        1,
        /ended too early \(SIGTERM\).*nothing about the store/,
      ],
      "process.kill(process.pid, 'SIGSEGV')": ['backup-copy', 3, /ended too early \(SIGSEGV\).*is damaged/],
    };
    const preload = join(directory, 'end.mjs');
    for (const [end, [program, code, says]] of Object.entries(ends)) {
      writeFileSync(preload, `if (process.argv[1]?.includes('${program}')) ${end};`);
      for (const command of commands.filter(([name]) => program === 'check-walk' || name === 'backup')) {
        const ended = await runBurgee(command, { NODE_OPTIONS: `--import=${preload}` });
        t.equal(ended.code, code, `${command[0]}: ${end}`);
        t.match(ended.stdout + ended.stderr, says);
        t.notOk(existsSync(target), 'nothing is left');
      }
    }
  },
);
