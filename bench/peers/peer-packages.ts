import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/support/package-root.ts';
import { atExit } from '../servers/at-exit.ts';

/** `bench/peers` of the checkout, a package of its own: its programs and, once installed, the peers. */
export const peersFolder = join(packageRoot(), 'bench', 'peers');

const installTimeoutMs = 10 * 60_000;
/** How much of npm's output an error shows, in characters. */
const outputCharsMax = 2000;
/** The major version of Node that the HTTP peers require. */
const nodeOfPeers = 22;

interface LockedPackage {
  readonly version?: string;
  readonly optional?: boolean;
}

function readPackages(path: string): Readonly<Record<string, LockedPackage>> {
  if (!existsSync(path)) return {};
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly packages: Record<string, LockedPackage> })
    .packages;
}

/** @returns whether `node_modules` holds what the lockfile says; optional packages may be missing */
function areInstalled(): boolean {
  const installed = readPackages(join(peersFolder, 'node_modules', '.package-lock.json'));
  const locked = Object.entries(readPackages(join(peersFolder, 'package-lock.json')));
  return locked.every(
    ([path, { version, optional }]) => path === '' || optional || installed[path]?.version === version,
  );
}

function isNodeNewEnough(): boolean {
  return Number(process.versions.node.split('.')[0]) >= nodeOfPeers;
}

/**
 * Installs the peers of the lockfile if they are not installed. Their install scripts do not run.
 *
 * @throws Error with the end of npm's output, when npm fails
 */
export async function installPeers(note: (text: string) => void): Promise<void> {
  if (areInstalled()) return;
  note('installing the peers into bench/peers (npm ci)');
  // Optional packages are left out if this Node is new enough: they are the Node from npm.
  const omitted = isNodeNewEnough() ? ['--omit=optional'] : [];
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...omitted];
  const npm = process.env['npm_execpath'];
  const [command, before] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  await runQuietly(command, [...before, ...args]);
}

/**
 * Runs a command in `bench/peers`; its output is shown only when it fails.
 *
 * @throws Error with the end of its output
 */
export async function runQuietly(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const child = spawn(command, args, { cwd: peersFolder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const outlived = atExit(() => child.kill('SIGTERM'));
  const overdue = setTimeout(() => child.kill('SIGTERM'), installTimeoutMs);
  let output = '';
  const take = (piece: string): void => {
    output = (output + piece).slice(-outputCharsMax);
  };
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  try {
    const [code, signal] = await once(child, 'close');
    if (code !== 0)
      throw new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}: ${output.trim()}`);
  } finally {
    clearTimeout(overdue);
    outlived();
  }
}

/** @returns the installed version of a peer */
export function versionOfPeer(name: string): string {
  const path = join(peersFolder, 'node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string }).version;
}

/** A Node for the HTTP peers, which require version 22: this one, or the one that npm installed with them. */
export interface PeerNode {
  readonly path: string;
  /** As `node --version` prints it, without the `v`. */
  readonly version: string;
}

/** @throws Error where this Node is too old and npm has none for this machine */
export function findPeerNode(): PeerNode {
  if (isNodeNewEnough()) return { path: process.execPath, version: process.versions.node };
  const name = `node-${process.platform}-${process.arch}`;
  const path = join(peersFolder, 'node_modules', name, 'bin', 'node');
  if (existsSync(path)) return { path, version: versionOfPeer(name) };
  throw new Error(
    `it needs Node ${nodeOfPeers}, this is ${process.versions.node}, and bench/peers has no Node for ${process.platform} on ` +
      `${process.arch}; run the bench suite with Node ${nodeOfPeers}`,
  );
}
