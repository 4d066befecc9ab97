import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { catalogue } from '../../bench/catalogue.ts';
import { type BenchCommand, readCommand, UsageError } from '../../bench/options.ts';
import { readResults } from '../../bench/report/result-file.ts';
import { startBurgee } from '../../bench/servers/start-burgee.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runBench, startBench } from './bench-command.ts';

/** Stands for a built checkout of an older commit. */
const checkout = repositoryRoot();

const read = (...args: readonly string[]): BenchCommand =>
  readCommand(args, catalogue, ['wrk', 'autocannon']);

function refusalOf(args: readonly string[]): unknown {
  try {
    read(...args);
    return null;
  } catch (fault) {
    return fault;
  }
}

t.test('without a name, scenarios and options are listed', async (t) => {
  const { end, stdout } = await runBench([]);
  t.equal(end, 0);
  for (const { name, summary } of catalogue) t.match(stdout, `${name.padEnd(25)}${summary}`);
  for (const option of ['duration', 'connections', 'rounds', 'driver', 'quick', 'json', 'compare', 'server'])
    t.match(stdout, `--${option}`);
});

t.test('names and options choose the scenarios and how they run', async (t) => {
  t.strictSame(read(), { kind: 'list' });
  t.strictSame(read('--page'), { kind: 'page' });
  t.match(read('patch', 'evaluate-flag'), {
    kind: 'run',
    scenarios: [{ name: 'evaluate-flag' }, { name: 'patch' }],
    settings: { seconds: 5, connections: 64, rounds: 5, drivers: ['wrk', 'autocannon'], isQuick: false },
    isSaved: true,
    repeatOptions: '',
  });
  const all = read('all', '--rounds', '9', '--duration', '0.5', '--driver', 'autocannon', '--no-save');
  t.match(all, { settings: { seconds: 0.5, rounds: 9, drivers: ['autocannon'] }, isSaved: false });
  t.match(all, { scenarios: catalogue, repeatOptions: '--duration 0.5 --rounds 9 --driver autocannon' });
  t.match(read('patch', '--quick', '--connections', '3'), {
    settings: { rounds: 1, connections: 3, isQuick: true },
    isSaved: false,
  });
});

t.test('programs of peers are given by name, and their paths are not recorded', async (t) => {
  const [node, shell] = [process.execPath, '/bin/sh'];
  const command = read('peers', '--peer', `flagr=${node}`, '--peer', `flipt=${shell}`);
  t.match(command, { repeatOptions: '--peer flagr=PATH --peer flipt=PATH' });
  const programs = command.kind === 'run' ? command.settings.peerPrograms : new Map();
  t.strictSame(
    [...programs],
    [
      ['flagr', node],
      ['flipt', shell],
    ],
  );
  t.match(read('patch'), { settings: { peerPrograms: new Map() } });
});

t.test('a comparison with an older build is not saved, but for attacks', async (t) => {
  const command = read('evaluate-flag', 'patch', '--before', checkout);
  t.match(command, { settings: { checkoutBefore: checkout }, isSaved: false });
  t.match(command, { repeatOptions: '--before PATH' });
  t.match(read('hostile', '--before', checkout), { isSaved: true });
  t.match(read('patch'), { settings: { checkoutBefore: null }, isSaved: true });
});

t.test('a run on a server elsewhere is not saved, and its token is not printed', async (t) => {
  const command = read('evaluate-flag', '--server', 'http://192.0.2.1:8080/', '--token', 'very-secret');
  t.match(command, { server: { origin: 'http://192.0.2.1:8080', token: 'very-secret' }, isSaved: false });
  t.match(command, { repeatOptions: '--server http://192.0.2.1:8080/ --token "$TOKEN"' });
});

t.test('an invalid command line is refused with what to do', async (t) => {
  const refused: readonly (readonly [RegExp, ...string[]])[] = [
    [
      /no scenario evaluate-flags; did you mean evaluate-flag\?.*\nThere are: evaluate-flag, /,
      'evaluate-flags',
    ],
    [/unknown option '--round'.*\n.*Did you mean --rounds/, 'patch', '--round', '3'],
    [/argument missing/, 'patch', '--json'],
    [/whole number from 1 to 100/, 'patch', '--rounds', '1.5'],
    [/number from 0\.1 to 600/, 'patch', '--duration', 'long'],
    [/whole number from 1 to 10000/, 'patch', '--connections', ''],
    [/Allowed choices are wrk, autocannon/, 'patch', '--driver', 'ab'],
    [/--server needs --token/, 'patch', '--server', 'http://127.0.0.1:1'],
    [/--token is for --server/, 'patch', '--token', 'x'],
    [/plain HTTP/, 'patch', '--server', 'https://192.0.2.1', '--token', 'x'],
    [/give an address like/, 'patch', '--server', '192.0.2.1:80', '--token', 'x'],
    [/name the scenarios to run, or all, before --quick/, '--quick'],
    [/name the scenarios to run, or all, before --no-save/, '--no-save'],
    [/--page runs nothing/, 'patch', '--page'],
    [
      /no peer flager; did you mean flagr\?\nThere are: flagr, unleash-edge, go-feature-flag, flagd, flipt\./,
      'peers',
      '--peer',
      'flager=x',
    ],
    [/Give NAME=PATH, such as flagr=/, 'peers', '--peer', 'flagr'],
    [
      /no file \/no\/such\/file\. Build the peer as bench\/README\.md says/,
      'peers',
      '--peer',
      'flagr=/no/such/file',
    ],
    [/no file \/tmp\. /, 'peers', '--peer', 'flagr=/tmp'],
    [/may not run \/proc\/version/, 'peers', '--peer', 'flagr=/proc/version'],
    [/flagr is given twice/, 'peers', '--peer', 'flagr=/bin/sh', '--peer', 'flagr=/bin/sh'],
    [/--peer is for the scenario peers/, 'patch', '--peer', 'flagr=/bin/sh'],
    [/name the scenarios to run, or all, before --peer/, '--peer', 'flagr=/bin/sh'],
    [
      /--before cannot be given for wide, micro: name some of evaluate-flag, /,
      'patch',
      'micro',
      'wide',
      '--before',
      checkout,
    ],
    [/that is no built checkout; run npm run build there/, 'patch', '--before', '/no/such/folder'],
    [
      /leave --server out/,
      'evaluate-flag',
      '--before',
      checkout,
      '--server',
      'http://127.0.0.1:1',
      '--token',
      'x',
    ],
  ];
  for (const [message, ...args] of refused) {
    const fault = refusalOf(args);
    t.ok(fault instanceof UsageError, args.join(' '));
    t.match(fault instanceof Error ? fault.message : '', message);
  }
  t.throws(() => readCommand(['patch', '--driver', 'wrk'], catalogue, ['autocannon']), /apt-get install wrk/);
});

t.test('a wrong command line ends with 2, before anything is started', async (t) => {
  const folder = temporaryDirectory(t);
  const saved = join(folder, 'saved.json');
  writeFileSync(saved, '{"format":2}');
  const refused: readonly (readonly [RegExp, ...string[]])[] = [
    [/did you mean patch\?/, 'pach'],
    [/none\.json does not exist/, 'micro', '--quick', '--compare', join(folder, 'none.json')],
    [/saved\.json is no result of the bench suite/, 'micro', '--quick', '--compare', saved],
    [/there is no such folder/, 'micro', '--quick', '--json', join(folder, 'nowhere', 'x.json')],
    [/that is no plain file/, 'micro', '--quick', '--json', folder],
    [
      /http:\/\/127\.0\.0\.1:1\/api\/v1\/token cannot be asked/,
      'evaluate-flag',
      '--server',
      'http://127.0.0.1:1',
      '--token',
      'x',
    ],
    [
      /cannot run elsewhere\n.*name some of: evaluate-flag,/,
      'patch',
      '--server',
      'http://127.0.0.1:1',
      '--token',
      'x',
    ],
  ];
  for (const [message, ...args] of refused) {
    const { end, stdout, stderr } = await runBench(args, folder);
    t.equal(end, 2, args.join(' '));
    t.match(stderr, message);
    t.match(stderr, /npm run bench shows the scenarios and the options\.\n$/);
    t.equal(stdout, '');
  }
  t.strictSame(readdirSync(folder), ['saved.json']);
});

async function listen(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

t.test('a scenario that fails is named at the end with status 1, and the others still run', async (t) => {
  const asked: string[] = [];
  const origin = await listen(t, ({ url = '' }, response) => {
    asked.push(url);
    const isToken = url === '/api/v1/token';
    response.statusCode = isToken ? 200 : 503;
    response.end(JSON.stringify({ project: { id: 'x' }, permission: 'write' }));
  });
  const args = ['--quick', '--server', origin, '--token', 'very-secret'];
  const { end, stdout, stderr } = await runBench(['evaluate-flag', 'evaluate-mixed', ...args]);
  t.equal(end, 1);
  t.match(stderr, /FAILED evaluate-flag: GET .*\/api\/v1\/flags answered 503/);
  t.match(stderr, /FAILED evaluate-mixed: /);
  t.notMatch(stdout + stderr, 'very-secret');
  t.strictSame(asked, ['/api/v1/token', '/api/v1/flags', '/api/v1/flags']);
});

t.test('a token that may only read is refused', async (t) => {
  const origin = await listen(t, (_request, response) => {
    response.end(JSON.stringify({ project: { id: 'x' }, permission: 'read' }));
  });
  const { end, stderr } = await runBench(['evaluate-flag', '--server', origin, '--token', 'x']);
  t.equal(end, 2);
  t.match(stderr, 'the token may only read');
  const other = await listen(t, (_request, response) => void response.end('hello'));
  t.match(await runBench(['evaluate-flag', '--server', other, '--token', 'x']), {
    end: 2,
    stderr: /does not answer as Burgee does/,
  });
});

interface Elsewhere {
  readonly origin: string;
  /** The options of the command for it. */
  readonly options: readonly string[];
  readonly token: string;
}

async function startElsewhere(t: Test): Promise<Elsewhere> {
  const project = { name: 'elsewhere', tokens: [{ name: 'bench', permission: 'write' as const }], flags: [] };
  const burgee = await startBurgee([project]);
  t.teardown(() => burgee.stop());
  const { origin } = burgee;
  const token = burgee.provisioned.projects['elsewhere']?.tokens['bench']?.secret ?? '';
  return { origin, token, options: ['--server', origin, '--token', token] };
}

async function checkElsewhere(t: Test, { origin, token, options }: Elsewhere): Promise<void> {
  const file = join(temporaryDirectory(t), 'run.json');
  const args = ['evaluate-flag', '--quick', '--driver', 'autocannon', ...options];
  const first = await runBench([...args, '--json', file]);
  t.equal(first.end, 0, first.stderr);
  const [result] = readResults(file);
  t.equal(result?.report.scenario, 'evaluate-flag');
  t.match(result?.report.comparisons.at(0), { base: '/health', settings: { server: origin } });
  t.notMatch(readFileSync(file, 'utf8'), token);
  const second = await runBench([...args, '--compare', file]);
  t.equal(second.end, 0, second.stderr);
  t.match(second.stdout, `Against ${file}: 0 of `);
  t.match(second.stdout, 'one round: cannot tell');
}

/** Processes with this text in an argument; none where the system does not list them. */
function processesWith(text: string): readonly string[] {
  if (!existsSync('/proc/self/cmdline')) return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

async function checkInterrupted(
  t: Test,
  [signal, status]: readonly ['SIGINT' | 'SIGTERM', number],
  options: readonly string[],
): Promise<void> {
  const folder = temporaryDirectory(t);
  const file = join(temporaryDirectory(t), 'run.json');
  const args = ['evaluate-flag', '--quick', '--duration', '60', '--no-save', '--json', file, ...options];
  const { child, ended } = startBench(args, folder);
  t.teardown(() => child.kill('SIGKILL'));
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (piece: Buffer) => {
      if (piece.includes('round 1 of 1')) resolve();
    });
  });
  child.kill(signal);
  const { end, stderr } = await ended;
  t.equal(end, status);
  t.match(stderr, `stopped by ${signal}`);
  t.notMatch(stderr, 'FAILED');
  t.strictSame(readdirSync(folder), [], 'no folder is left');
  t.strictSame(processesWith(folder), [], 'no process is left');
  t.strictSame(readResults(file), [], 'no measurement was completed');
}

t.test('SIGINT stops the servers in order, and leaves nothing behind', (t) =>
  checkInterrupted(t, ['SIGINT', 130], []),
);

t.test('a server elsewhere is measured, compared with itself, and left running at SIGTERM', async (t) => {
  const elsewhere = await startElsewhere(t);
  await checkElsewhere(t, elsewhere);
  await checkInterrupted(t, ['SIGTERM', 143], elsewhere.options);
  t.equal((await fetch(`${elsewhere.origin}/health`)).status, 200, 'it still serves');
});
