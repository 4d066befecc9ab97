import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { shownValue } from '../../src/cli/config-command.ts';
import { settingNames } from '../../src/config/settings.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(120_000);

const commands = [
  ['start'],
  ['serve'],
  ['apply'],
  ['export'],
  ['backup'],
  ['restore'],
  ['check'],
  ['stat'],
  ['config'],
  ['demo'],
  ['version'],
  ['organisation', 'set-plan'],
  ['token', 'revoke'],
];

for (const command of [[], ...commands]) {
  t.test(`burgee ${[...command, '--help'].join(' ')} shows examples first`, async (t) => {
    const { code, stdout } = await runBurgee([...command, '--help']);
    t.equal(code, 0);
    t.match(stdout, new RegExp(`^Examples:\n  (\\w+=\\S+ )?burgee ${command.join(' ')}`));
    t.match(stdout, /\n\nUsage: burgee/);
    if (command.length > 0) t.match(stdout, /--json /, 'every command has --json');
  });
}

t.test('an unknown command or option exits 2 with a message on standard error', async (t) => {
  for (const arguments_ of [
    ['dance'],
    ['serve', '--prot', '1'],
    ['apply'],
    ['apply', 'a', 'b'],
    ['backup'],
    ['backup', 'a', '--time-limit', '0'],
    ['backup', ''],
    ['restore'],
    ['restore', ''],
    ['export', '--output', ''],
    ['token', 'revoke'],
    ['organisation', 'set-plan', 'Acme'],
    ['organisation', 'set-plan', 'Acme', '--plan', 'gold'],
    ['organisation', 'set-plan', 'Acme', '--trial-ends-at', 'tomorrow'],
    ['organisation', 'set-plan', 'Acme', '--trial-ends-at', '2030-02-30T25:00:00Z'],
  ]) {
    const { code, stdout, stderr } = await runBurgee(arguments_);
    t.equal(code, 2, arguments_.join(' '));
    t.equal(stdout, '');
    t.match(stderr, /^error: /);
  }
});

t.test('version', async (t) => {
  const { version } = JSON.parse(readFileSync(join(repositoryRoot(), 'package.json'), 'utf8'));
  const { stdout } = await runBurgee(['version', '--json']);
  t.strictSame(JSON.parse(stdout), { version, node: process.version });
  for (const word of ['version', '--version', '-V']) {
    t.match((await runBurgee([word])).stdout, new RegExp(`^burgee ${version} \\(Node v\\d+`), word);
  }
});

t.test('config prints the effective settings and their sources', async (t) => {
  const directory = temporaryDirectory(t);
  const file = join(directory, 'burgee.json');
  writeFileSync(file, '{"port": 1, "logLevel": "warn"}');
  const settings = { BURGEE_CONFIG: file, BURGEE_PORT: '2', BURGEE_MAP_BYTES: '2GiB' };
  const { stdout } = await runBurgee(['config', '--host', 'localhost', '--json'], settings);
  const shown = JSON.parse(stdout);
  t.strictSame(Object.keys(shown), settingNames);
  t.strictSame(shown.host, { value: 'localhost', source: 'flag' });
  t.strictSame(shown.port, { value: 2, source: 'environment' });
  t.strictSame(shown.logLevel, { value: 'warn', source: 'file' });
  t.strictSame(shown.docsUrl, { value: 'http://localhost:2/docs', source: 'default' });
  const { stdout: text } = await runBurgee(['config'], settings);
  t.match(text, /^port = 2 \(environment\)$/m);
  t.match(text, /^mapBytes = 2GiB \(environment\)$/m);
});

t.test('config hides secrets', async (t) => {
  t.equal(shownValue({ isSecret: true }, 'smtp://user:password@host'), '(hidden)');
  t.equal(shownValue({ isSecret: false }, 'host'), 'host');
});

t.test('every command reports all wrong settings at once, and exits 1', async (t) => {
  const settings = { BURGEE_PORT: 'x', BURGEE_HOTS: 'y' };
  for (const command of [['serve'], ['config'], ['check'], ['token', 'revoke', 'x'.repeat(20)]]) {
    const { code, stderr } = await runBurgee(command, settings);
    t.equal(code, 1);
    t.match(stderr, /BURGEE_PORT must be a whole number/);
    t.match(stderr, /BURGEE_HOTS; did you mean BURGEE_HOST\?/);
  }
});

t.test('a failure is written once: as JSON with --json, as text without', async (t) => {
  const settings = { BURGEE_PORT: 'x' };
  const json = await runBurgee(['config', '--json'], settings);
  t.match(json, { code: 1, stderr: '' });
  t.match(JSON.parse(json.stdout), { error: 'A setting is wrong:', problems: [/^BURGEE_PORT/] });
  for (const command of [['config'], ['compact']]) {
    const text = await runBurgee(command, settings);
    t.match(text, { code: 1, stdout: '', stderr: /^burgee: A setting is wrong:\n {2}- BURGEE_PORT/ });
  }
});

t.test('a reader that ends early gets no stack trace', async (t) => {
  const burgee = join(repositoryRoot(), 'scripts', 'burgee');
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-c', `'${burgee}' --help | true; echo "\${PIPESTATUS[0]}"`],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  );
  t.same({ status, stdout, stderr }, { status: 0, stdout: '0\n', stderr: '' });
});
