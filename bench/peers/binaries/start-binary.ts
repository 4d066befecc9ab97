import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { atExit } from '../../servers/at-exit.ts';
import { keepEnd } from '../../servers/keep-end.ts';
import type { BinaryPeer, PeerLaunch } from './binary-peer.ts';
import { findFreePorts } from './free-ports.ts';
import { rule } from './rule-question.ts';
import { type RuleServer, ruleRequests } from './rule-server.ts';

const run = promisify(execFile);

const startTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;
const versionTimeoutMs = 10_000;
const askAgainMs = 100;

/** Where a program runs. */
interface StartLocation {
  readonly folder: string;
  readonly origin: string;
}

interface RunningBinary {
  readonly pid: number;
  /** The end of its output. */
  said(): string;
  /** Resolves, with the reason, when the program has ended or could not be started. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Without the caller's variables, so that only the configuration counts. HOME is the program's folder, so that its user
 * files stay there.
 */
function environmentIn(folder: string, env: PeerLaunch['env'] = {}): NodeJS.ProcessEnv {
  const kept = ['PATH', 'LANG'].map((name) => [name, process.env[name]]);
  return { ...Object.fromEntries(kept), HOME: folder, TMPDIR: folder, ...env };
}

function runBinary(program: string, { args, env }: PeerLaunch, folder: string): RunningBinary {
  const child = spawn(program, args, {
    cwd: folder,
    env: environmentIn(folder, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const outlived = atExit(() => child.kill('SIGKILL'));
  const said = [child.stdout, child.stderr].map(keepEnd);
  const ended = once(child, 'exit')
    .then(([code, signal]) => `ended with ${code ?? signal}`)
    .catch((fault: Error) => `could not be started (${fault.message})`)
    .finally(outlived);
  return {
    pid: child.pid ?? 0,
    said: () => said.map((read) => read().trim()).join('\n'),
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      const overdue = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      await ended;
      clearTimeout(overdue);
    },
  };
}

/** Repeats a request until its answer is right. @returns null, or the last wrong answer when time is up */
async function waitUntilReady(peer: BinaryPeer, origin: string, signal: AbortSignal): Promise<string | null> {
  const { path, method = 'GET', body, status } = peer.requestFor('user-0', rule.value);
  const headers = { ...peer.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  let last = 'nothing';
  const endMs = performance.now() + startTimeoutMs;
  while (performance.now() < endMs && !signal.aborted) {
    try {
      const response = await fetch(`${origin}${path}`, { method, headers, body: body ?? null, signal });
      const text = await response.text();
      if (response.status === status) return null;
      last = `${response.status} ${text.trim()}`;
    } catch {
      // It does not listen yet.
    }
    await wait(askAgainMs);
  }
  return last;
}

async function askForVersion(
  { version }: BinaryPeer,
  program: string,
  location: StartLocation,
): Promise<string> {
  if ('path' in version) return await (await fetch(`${location.origin}${version.path}`)).text();
  const env = environmentIn(location.folder);
  const { stdout, stderr } = await run(program, version.args, { timeout: versionTimeoutMs, env });
  return stdout + stderr;
}

/** A program whose version cannot be read is measured anyway. */
async function readVersion(peer: BinaryPeer, program: string, location: StartLocation): Promise<string> {
  const output = await askForVersion(peer, program, location).catch(() => '');
  return peer.version.pattern.exec(output)?.[1]?.replace(/^v/, '') ?? 'of unknown version';
}

function explain(peer: BinaryPeer, program: string, what: string, said: string): Error {
  return new Error(
    `${peer.name}: ${program} ${what}. Give the path of a ${peer.name} that runs on this machine; bench/README.md says how each is built and run. It said:\n${said.trim() || 'nothing'}`,
  );
}

async function startIn(
  folder: string,
  peer: BinaryPeer,
  program: string,
  users: number,
): Promise<Omit<RuleServer, 'stop'> & Pick<RunningBinary, 'stop'>> {
  const [port = 0, ...otherPorts] = await findFreePorts(1 + peer.otherPorts);
  const launch = await peer.configure({ folder, port, otherPorts });
  const binary = runBinary(program, launch, folder);
  try {
    const origin = `http://127.0.0.1:${port}`;
    const ready = new AbortController();
    const why = await Promise.race([
      waitUntilReady(peer, origin, ready.signal).then((answered) =>
        answered === null ? null : `gave no right answer within ${startTimeoutMs / 1000} s, but: ${answered}`,
      ),
      binary.ended.then((end) => `${end} before it answered`),
    ]).finally(() => ready.abort());
    if (why !== null) throw explain(peer, program, why, binary.said());
    const version = await readVersion(peer, program, { folder, origin });
    const { matched, unmatched } = ruleRequests(peer.requestFor, users);
    return {
      name: peer.name,
      what: `${peer.name} ${version}: ${peer.how}`,
      pid: binary.pid,
      list: { origin, requests: matched, ...(peer.headers === undefined ? {} : { headers: peer.headers }) },
      unmatched,
      isOn: peer.isOn,
      stop: binary.stop,
    };
  } catch (fault) {
    await binary.stop();
    throw fault;
  }
}

/**
 * Writes a program's configuration into a folder of its own, starts it and waits until it answers.
 *
 * @param users how many users its list has requests about
 * @throws Error with its output and what to do, when it ends or does not answer
 */
export async function startBinary(peer: BinaryPeer, program: string, users: number): Promise<RuleServer> {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-peer-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const kept = atExit(remove);
  const removeNow = (): void => {
    kept();
    remove();
  };
  try {
    const server = await startIn(folder, peer, program, users);
    return {
      ...server,
      stop: async () => {
        await server.stop();
        removeNow();
      },
    };
  } catch (fault) {
    removeNow();
    throw fault;
  }
}
