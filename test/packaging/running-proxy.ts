import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import { makeCertificate } from '../support/certificate.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { unprivilegedIds } from './unprivileged.ts';

/** A running proxy with one of the examples. */
export interface RunningProxy {
  readonly port: number;
  /** Its port for plain HTTP. */
  readonly plainPort: number;
  /** The certificate to trust, in PEM. */
  readonly certificate: string;
  /** What it has written so far. */
  readonly output: () => string;
}

/** The values of an example's placeholders in a test. */
export interface ProxyPlaces {
  readonly directory: string;
  readonly port: number;
  readonly plainPort: number;
  readonly backendPort: number;
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Certificate and key in one file. */
  readonly combinedFile: string;
}

/** How to start one kind of proxy. */
export interface ProxyKind {
  /** The example's path below the checkout. */
  readonly example: string;
  /** The replacements, only of addresses, ports, files and users. Each pattern must occur in the example. */
  substitutions(places: ProxyPlaces): readonly (readonly [RegExp, string])[];
  command(configFile: string, places: ProxyPlaces): readonly string[];
}

export interface ProxyOptions {
  readonly backendPort: number;
  readonly openssl: string;
  /** Further changes that the example's comments suggest. */
  readonly choices?: readonly (readonly [RegExp, string])[];
}

/** Starts a proxy without privileges on free ports of 127.0.0.1. It ends with the test. */
export async function startProxy(t: Test, kind: ProxyKind, options: ProxyOptions): Promise<RunningProxy> {
  const places = await makePlaces(t, options);
  const example = readFileSync(join(repositoryRoot(), kind.example), 'utf8');
  const configFile = join(places.directory, 'proxy.conf');
  writeFileSync(configFile, substitute(example, [...kind.substitutions(places), ...(options.choices ?? [])]));
  const output = await runProxy(t, kind.command(configFile, places), places);
  const certificate = readFileSync(places.certificateFile, 'utf8');
  return { port: places.port, plainPort: places.plainPort, certificate, output };
}

/**
 * Runs a proxy without privileges, in a directory of its own, until the test ends.
 * @returns what it has written so far, once it listens
 */
export async function runProxy(
  t: Test,
  [command = '', ...words]: readonly string[],
  { directory, port }: Pick<ProxyPlaces, 'directory' | 'port'>,
): Promise<() => string> {
  const env = { ...process.env, HOME: directory };
  const child = spawn(command, words, { ...unprivilegedIds, cwd: directory, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<void>((resolve, reject) =>
    child.once('error', reject).once('close', () => resolve()),
  );
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${command} did not start:\n${output}`);
    await setTimeout(20);
  }
  return () => output;
}

/** @throws when a pattern is missing, because the example then differs from what the test expects */
function substitute(text: string, replacements: readonly (readonly [RegExp, string])[]): string {
  let result = text;
  for (const [pattern, replacement] of replacements) {
    const changed = result.replace(new RegExp(pattern, 'gm'), replacement);
    if (changed === result) throw new Error(`the example has no ${pattern}`);
    result = changed;
  }
  return result;
}

/** @returns a directory to which the proxy may write */
export function proxyDirectory(t: Test): string {
  const directory = join(temporaryDirectory(t), 'proxy');
  chmodSync(join(directory, '..'), 0o755);
  mkdirSync(directory);
  if (unprivilegedIds !== null) chownSync(directory, unprivilegedIds.uid, unprivilegedIds.gid);
  return directory;
}

async function makePlaces(t: Test, { backendPort, openssl }: ProxyOptions): Promise<ProxyPlaces> {
  const directory = proxyDirectory(t);
  const [certificateFile, keyFile] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')];
  makeCertificate(openssl, certificateFile, keyFile);
  const combinedFile = join(directory, 'combined.pem');
  writeFileSync(combinedFile, readFileSync(certificateFile, 'utf8') + readFileSync(keyFile, 'utf8'));
  for (const file of [keyFile, certificateFile, combinedFile]) chmodSync(file, 0o644);
  const [port = 0, plainPort = 0] = await freePorts(2);
  return { directory, port, plainPort, backendPort, certificateFile, keyFile, combinedFile };
}

/** All are held until the last is found, so that they differ. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address !== null && typeof address === 'object') ports.push(address.port);
  }
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
