import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '../expectations.ts';
import type { Lifetime } from '../lifetime.ts';
import { own, type PostgresBinaries, postgresEnvironment, runAs } from './postgres-binaries.ts';

/** What the keeper is told to start. */
export interface ToKeeper {
  readonly program: string;
  readonly args: readonly string[];
  readonly options: {
    readonly uid?: number;
    readonly gid?: number;
    readonly cwd: string;
    readonly env: NodeJS.ProcessEnv;
  };
}

/** The postmaster's pid once it runs, and how it ended. */
export type FromKeeper = { readonly pid: number } | { readonly ended: string };

export interface PostgresOptions {
  /** As in `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Survives the end of its machine; a test that only ends processes does not need that. */
  readonly isDurable?: boolean;
}

const startTimeoutMs = 30_000;
const endTimeoutMs = 30_000;
const portsTried = 20;
const run = promisify(execFile);

/** A PostgreSQL of a test's own, on 127.0.0.1. It ends with the test, and when the test's process is killed. */
export class PostgresServer {
  /** The superuser's; it needs no password. */
  static readonly user = 'burgee';
  readonly directory: string;
  port = 0;
  /** The postmaster's; 0 while none runs. */
  pid = 0;
  /** What the server said last. */
  log = '';
  settings: Record<string, string>;
  readonly #binaries: PostgresBinaries;
  readonly #folder: string;
  readonly #keeper: ChildProcess;
  #ended: Promise<string> = Promise.resolve('not started');

  /** @see startPostgres */
  constructor(binaries: PostgresBinaries, { settings = {}, isDurable = false }: PostgresOptions) {
    this.#binaries = binaries;
    this.#folder = mkdtempSync(join(tmpdir(), 'burgee-pg-'));
    own(this.#folder);
    this.directory = join(this.#folder, 'data');
    this.settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '60',
      shared_buffers: '32MB',
      // Or a standby that was away for a moment may never come back: a checkpoint removes what it has not read.
      wal_keep_size: '64MB',
      ...(isDurable ? {} : { fsync: 'off', full_page_writes: 'off' }),
      ...settings,
    };
    const keeper = fileURLToPath(new URL('./postgres-keeper.js', import.meta.url));
    // In a group of its own: what ends the test's group leaves it the time to tidy up.
    this.#keeper = spawn(process.execPath, [keeper, this.#folder], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      detached: true,
    });
    this.#keeper.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.log = (this.log + text).slice(-20_000);
    });
  }

  /** Copies a data directory, of a server that is stopped. */
  async fill(source: string): Promise<void> {
    await run('cp', ['-a', source, this.directory], { ...runAs, cwd: '/' });
  }

  /** Copies its data directory, while it is stopped. */
  async copyTo(directory: string): Promise<void> {
    await run('cp', ['-a', this.directory, directory], { ...runAs, cwd: '/' });
  }

  /** Starts it, on the port that it had; on a free one the first time. @throws Error with its log */
  async start(): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      if (this.port === 0) this.port = randomPort();
      if (await this.#startOnce()) return;
      if (tried === portsTried || !/Address already in use/.test(this.log))
        throw new Error(`PostgreSQL did not start: ${this.log}`);
      this.port = 0;
    }
  }

  async #startOnce(): Promise<boolean> {
    const settings = Object.entries({ ...this.settings, port: String(this.port) });
    this.log = '';
    const message: ToKeeper = {
      program: join(this.#binaries.folder, 'postgres'),
      args: ['-D', this.directory, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      options: { ...runAs, cwd: '/', env: postgresEnvironment },
    };
    let isOver = false;
    this.#ended = new Promise((resolve) => {
      const listen = (said: FromKeeper): void => {
        if ('pid' in said) this.pid = said.pid;
        else {
          isOver = true;
          this.pid = 0;
          this.#keeper.off('message', listen);
          resolve(said.ended);
        }
      };
      this.#keeper.on('message', listen);
    });
    this.#keeper.send(message);
    // Its pid comes from the keeper, on another way than its log.
    const isReady = (): boolean =>
      this.pid !== 0 && /ready to accept (read-only )?connections/.test(this.log);
    await eventually(() => isReady() || isOver, startTimeoutMs, `PostgreSQL did not start: ${this.log}`);
    return !isOver;
  }

  /** @param signal SIGTERM waits for clients, SIGINT ends them, SIGQUIT is a crash in order. @returns how it ended */
  async stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<string> {
    if (this.pid !== 0) process.kill(this.pid, signal);
    return this.#ended;
  }

  /** As when its machine dies: the postmaster and all its processes at once. Linux only. */
  async killHard(): Promise<void> {
    const postmaster = this.pid;
    // It starts nothing more while its processes are listed.
    process.kill(postmaster, 'SIGSTOP');
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim();
    const pids = [postmaster, ...children.split(' ').filter(Boolean).map(Number)];
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await this.#ended;
    // The next postmaster refuses to start while a process of this one has its shared memory.
    await eventually(() => !pids.some(isRunning), endTimeoutMs, 'the processes of PostgreSQL are gone');
  }

  /** @param role with `name:password`, percent-encoded, if it has one */
  url(database = 'postgres', role = PostgresServer.user): string {
    return `postgres://${role}@127.0.0.1:${this.port}/${database}`;
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    const options = { ...runAs, cwd: '/', env: postgresEnvironment };
    await run(join(this.#binaries.folder, 'pg_ctl'), ['promote', '-w', '-D', this.directory], options);
  }

  /** Ends it and its keeper, which removes its data. */
  async remove(): Promise<void> {
    const gone = once(this.#keeper, 'exit');
    this.#keeper.disconnect();
    await gone;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Starts a server of its own for a test. */
export async function startPostgres(
  t: Lifetime,
  binaries: PostgresBinaries,
  options: PostgresOptions = {},
): Promise<PostgresServer> {
  const server = new PostgresServer(binaries, options);
  t.teardown(() => server.remove());
  await server.fill(binaries.template);
  await server.start();
  return server;
}

/**
 * Gives a server a standby, from a cold copy: the package has no pg_basebackup. The primary is stopped for it, and starts again on its port.
 * @param isSynchronous whether commits wait for it: start it before the first, or they wait
 */
export async function startStandby(
  t: Lifetime,
  binaries: PostgresBinaries,
  primary: PostgresServer,
  { isSynchronous }: { readonly isSynchronous: boolean },
): Promise<PostgresServer> {
  await primary.stop();
  const { synchronous_standby_names: _names, ...settings } = primary.settings;
  const standby = new PostgresServer(binaries, { settings });
  t.teardown(() => standby.remove());
  await standby.fill(primary.directory);
  standby.settings['primary_conninfo'] =
    `host=127.0.0.1 port=${primary.port} user=${PostgresServer.user} application_name=standby`;
  const signal = join(standby.directory, 'standby.signal');
  writeFileSync(signal, '');
  own(signal);
  rmSync(join(standby.directory, 'postmaster.pid'), { force: true });
  if (isSynchronous) primary.settings['synchronous_standby_names'] = 'standby';
  await primary.start();
  await standby.start();
  await eventually(() => /started streaming WAL/.test(standby.log), startTimeoutMs, 'the standby streams');
  return standby;
}

/** Below those that outgoing connections take, so that a server which starts again finds it free. */
function randomPort(): number {
  return 10_240 + Math.floor(Math.random() * 20_000);
}

/** A zombie, whose parent has not asked for it yet, holds nothing any more. */
function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
