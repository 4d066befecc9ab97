import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { kubernetes, readFeatureGates, stageIn } from '../../src/cli/demo/kubernetes.ts';
import { bootServer } from '../support/booted-server.ts';
import { runBurgee } from '../support/burgee-command.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

t.setTimeout(120_000);

t.test('a stage holds from its version until the next row', async (t) => {
  const gate = {
    name: 'G',
    stages: [
      { version: '1.31', default: true, stage: 'beta' },
      { version: '1.9', default: false, stage: 'alpha' },
    ],
  } as const;
  t.equal(stageIn(gate, '1.8'), undefined);
  t.match(stageIn(gate, '1.9'), { stage: 'alpha' });
  t.match(stageIn(gate, '1.30'), { stage: 'alpha' });
  t.match(stageIn(gate, '1.31'), { stage: 'beta' });
});

t.test('all 76 gates become flags with five environments, in the state of their stage', async (t) => {
  const gates = readFeatureGates();
  t.equal(gates.length, 76);
  const { flags = [] } = kubernetes().project;
  t.equal(flags.length, 76);
  for (const [index, gate] of gates.entries()) {
    const { environments = {} } = flags[index] ?? { name: '' };
    t.strictSame(Object.keys(environments), ['v1.30', 'v1.31', 'v1.32', 'v1.33', 'v1.34']);
    for (const [name, state] of Object.entries(environments)) {
      const stage = stageIn(gate, name.slice(1));
      const expected = stage?.default
        ? { enabled: true, trafficPercentage: 100 }
        : stage?.stage === 'alpha'
          ? { enabled: true, trafficPercentage: 0, cohorts: ['alpha-testers'] }
          : stage?.stage === 'beta'
            ? { enabled: true, trafficPercentage: 10 }
            : { enabled: false };
      t.strictSame(state, expected, `${gate.name} in ${name}`);
    }
  }
});

function curlLines(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('curl '));
}

/** Pastes a line into bash, as a user would. */
async function paste(line: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('bash', ['-c', line]);
  return JSON.parse(stdout);
}

interface Facts {
  readonly environment: string;
  readonly flags: number;
  /** What its questions about one flag each get, in order. */
  readonly answers: readonly object[];
}

const demos: Readonly<Record<string, Facts>> = {
  shop: {
    environment: 'production',
    flags: 14,
    answers: [
      { name: 'new-checkout' },
      { name: 'new-checkout', enabled: true },
      { name: 'express-delivery', enabled: true },
    ],
  },
  kubernetes: {
    environment: 'v1.34',
    flags: 76,
    answers: [{ id: /^\w{20}$/ }, { enabled: true }],
  },
};

for (const [name, { environment, flags, answers }] of Object.entries(demos)) {
  t.test(`${name}: its curl lines can be pasted into bash, and give answers`, async (t) => {
    const dataDir = join(temporaryDirectory(t), 'data');
    const { code, stdout } = await runBurgee(['demo', name, '--data-dir', dataDir, '--port', '8080']);
    t.equal(code, 0);
    t.notMatch(stdout, /\p{Cc}(?<!\n)|\$/u, 'no colour codes, no variables');
    t.equal(new Set(stdout.match(/burgee_[0-9A-Za-z]{49}/g)).size, 2, 'a read and a write token');
    const server = await bootServer(t, { dataDir });
    const lines = curlLines(stdout.replaceAll('http://127.0.0.1:8080/', `http://127.0.0.1:${server.port}/`));
    t.equal(lines.length, answers.length + 3);
    const questions = lines.slice(0, answers.length);
    for (const [index, line] of questions.entries()) t.match(await paste(line), answers[index] ?? {});
    const [percentage = '', cohort = '', audience = ''] = questions;
    // In the shop other cohorts are keys of a percentage.
    if (name === 'kubernetes')
      t.match(await paste(cohort.replace(/cohort=[\w-]+/, 'cohort=others')), { enabled: false });
    if (audience !== '')
      t.match(await paste(audience.replace('plan=plus', 'plan=basic')), { enabled: false });
    const [all = '', list = '', patch = ''] = lines.slice(answers.length);
    t.match(await paste(all), { length: flags });
    t.match(await paste(list), { flags: { length: flags } });
    t.match(await paste(patch), { changed: true, flag: { trafficPercentage: 100, environment } });
    t.match(await paste(percentage), { enabled: true }, 'the patch has its effect');
    const [base = ''] = /http\S+\/projects\/\S+/.exec(stdout) ?? [];
    t.equal(base, `http://127.0.0.1:8080/projects/${name}/${environment}`);
  });
}

t.test('a demo of another name is refused', async (t) => {
  const { code, stderr } = await runBurgee(['demo', 'bank', '--data-dir', temporaryDirectory(t)]);
  t.equal(code, 2);
  t.match(stderr, /Allowed choices are shop, kubernetes/);
});

t.test('burgee start makes no demo where another program has the port', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.teardown(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const dataDir = join(temporaryDirectory(t), 'data');
  const { code, stdout, stderr } = await runBurgee(['start', '--data-dir', dataDir, '--port', String(port)]);
  t.equal(code, 1);
  t.equal(stdout, '');
  t.match(stderr, `cannot listen on 127.0.0.1:${port}`);
  t.notOk(existsSync(dataDir));
});

async function demo(t: Test, dataDir: string): Promise<string> {
  const { code, stdout, stderr } = await runBurgee(['demo', '--data-dir', dataDir]);
  t.equal(code, 0, stderr);
  return stdout;
}

t.test('a second start keeps the data, and shows only a new link for the Owner', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  const linkIn = (text: string) => /\/console\/link#[0-9A-Za-z]{49}/.exec(text)?.[0];
  const first = linkIn(await demo(t, dataDir));
  const second = await demo(t, dataDir);
  t.ok(first !== undefined && linkIn(second) !== undefined);
  t.not(linkIn(second), first, 'links work once, so each start shows a new one');
  t.notMatch(second, /burgee_/, 'no token');
});

t.test('a directory with other content is left alone', async (t) => {
  const directory = temporaryDirectory(t);
  const dataDir = join(directory, 'data');
  const file = join(directory, 'file.json');
  writeFileSync(file, '{"organisations": [{"name": "Acme", "plan": "free"}]}');
  await runBurgee(['apply', file, '--data-dir', dataDir]);
  t.equal(await demo(t, dataDir), '');
  t.match(
    (await runBurgee(['organisation', 'set-plan', 'Demo', '--plan', 'free', '--data-dir', dataDir])).code,
    1,
  );
});

t.test('if interrupted before its tokens are shown, the demo replaces them', async (t) => {
  const dataDir = join(temporaryDirectory(t), 'data');
  const first = await demo(t, dataDir);
  // The state after a crash between the transaction and the printing.
  writeFileSync(join(dataDir, 'demo-not-shown-yet'), 'shop\n');
  const second = await demo(t, dataDir);
  const secrets = (text: string) => text.match(/burgee_[0-9A-Za-z]{49}/g) ?? [];
  const ids = (text: string) => curlLines(text).map((line) => /flags\/(\w{20})/.exec(line)?.[1]);
  t.equal(new Set([...secrets(first), ...secrets(second)]).size, 4);
  t.strictSame(ids(second), ids(first), 'the flags are the same');
  t.notOk(existsSync(join(dataDir, 'demo-not-shown-yet')));
  t.notMatch(await demo(t, dataDir), /burgee_|curl/, 'and the next start shows none');
});
