import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { catalogue } from '../../bench/catalogue.ts';
import { type BenchCommand, readCommand, UsageError } from '../../bench/options.ts';
import { readResults } from '../../bench/report/result-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runBench, startBench } from './bench-command.ts';

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

t.test('an invalid command line is refused with what to do', async (t) => {
  const refused: readonly (readonly [RegExp, ...string[]])[] = [
    [/no scenario evaluate-flags; did you mean evaluate-flag\?/, 'evaluate-flags'],
    [/unknown option '--round'.*\n.*Did you mean --rounds/, 'patch', '--round', '3'],
    [/whole number from 1 to 100/, 'patch', '--rounds', '1.5'],
    [/number from 0\.1 to 600/, 'patch', '--duration', 'long'],
    [/--server needs --token/, 'patch', '--server', 'http://127.0.0.1:1'],
    [/name the scenarios to run, or all, before --quick/, '--quick'],
    [/no file \/no\/such\/file\. Build the peer/, 'peers', '--peer', 'flagr=/no/such/file'],
    [/that is no built checkout; run npm run build there/, 'patch', '--before', '/no/such/folder'],
  ];
  for (const [message, ...args] of refused) {
    const fault = refusalOf(args);
    t.ok(fault instanceof UsageError, args.join(' '));
    t.match(fault instanceof Error ? fault.message : '', message);
  }
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
    const isAskedBefore = url === '/api/v1/token' || url.endsWith('dryRun=true');
    response.statusCode = isAskedBefore ? 200 : 503;
    response.end(JSON.stringify({ project: { id: 'x' }, permission: 'write' }));
  });
  const args = ['--quick', '--server', origin, '--token', 'very-secret'];
  const { end, stdout, stderr } = await runBench(['evaluate-flag', 'evaluate-mixed', ...args]);
  t.equal(end, 1);
  t.match(stderr, /FAILED evaluate-flag: GET .*\/api\/v1\/flags answered 503/);
  t.match(stderr, /FAILED evaluate-mixed: /);
  t.notMatch(stdout + stderr, 'very-secret');
  t.strictSame(asked, ['/api/v1/token', '/api/v1/flags?dryRun=true', '/api/v1/flags', '/api/v1/flags']);
});

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

t.test('SIGINT stops the servers in order, and leaves nothing behind', async (t) => {
  const folder = temporaryDirectory(t);
  const file = join(temporaryDirectory(t), 'run.json');
  const args = ['evaluate-flag', '--quick', '--duration', '60', '--no-save', '--json', file];
  const { child, ended } = startBench(args, folder);
  t.teardown(() => child.kill('SIGKILL'));
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (piece: Buffer) => {
      if (piece.includes('round 1 of 1')) resolve();
    });
  });
  child.kill('SIGINT');
  const { end, stderr } = await ended;
  t.equal(end, 130);
  t.match(stderr, 'stopped by SIGINT');
  t.notMatch(stderr, 'FAILED');
  t.strictSame(readdirSync(folder), [], 'no folder is left');
  t.strictSame(processesWith(folder), [], 'no process is left');
  t.strictSame(readResults(file), [], 'no measurement was completed');
});
