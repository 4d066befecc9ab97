import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { repositoryRoot } from '../support/repository-root.ts';
import { WireServer } from './wire/wire-server.ts';

const root = repositoryRoot();

/** The package that the build made, and that every service hands out. `packed-client` compares it with one packed anew. */
export const builtClient = join(root, 'dist', 'docs', 'burgee-client.tgz');

/** Packs the client. @returns what `npm run pack:client` prints last */
export function packClient(): string {
  const printed = execFileSync(process.execPath, [join(root, 'scripts', 'pack-client.mjs')], {
    cwd: root,
    encoding: 'utf8',
  });
  return printed.trimEnd().split('\n').at(-1) ?? '';
}

/**
 * Installs the packed client into an empty directory, with npm and without a network: its one dependency comes from this
 * checkout.
 */
export function installClient(tarball: string, directory: string, type = 'module'): void {
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'user', private: true, type }));
  const parser = join(root, 'node_modules', 'eventsource-parser');
  const copy = join(directory, 'eventsource-parser');
  cpSync(parser, copy, { recursive: true });
  const args = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', [...args, '--install-links', tarball, copy], { cwd: directory, stdio: 'pipe' });
}

/**
 * Writes a module that has the entries of an installed client, resolved as a program of that directory would, with
 * OpenFeature's SDK beside it.
 */
export function entriesOf(directory: string): string {
  for (const name of ['@openfeature/server-sdk', '@openfeature/core']) linkPackage(name, directory);
  const module = join(directory, 'entries.mjs');
  writeFileSync(
    module,
    "export { connect } from 'burgee-client';\nexport { BurgeeProvider } from 'burgee-client/openfeature';\n",
  );
  return module;
}

/** The entries of a client that was installed into a directory. */
export async function importClient(directory: string): Promise<{
  readonly connect: typeof import('../../src/sdk/connect.ts').connect;
  readonly BurgeeProvider: typeof import('../../src/sdk/openfeature.ts').BurgeeProvider;
}> {
  return import(pathToFileURL(entriesOf(directory)).href);
}

/** Gives the directory a package of this checkout, which a user would install beside. */
export function linkPackage(name: string, directory: string): void {
  const place = join(directory, 'node_modules', name);
  if (existsSync(place)) return;
  mkdirSync(join(place, '..'), { recursive: true });
  symlinkSync(join(root, 'node_modules', name), place);
}

export const flagOn = { revision: 1, enabled: true, trafficPercentage: 100, cohorts: [], audienceId: null };
export const checkoutId = 'checkout000000000000';
export const pauseJobsId = 'pausejobs00000000000';

/** A service with two flags: `checkout` is on for plan pro, `pause-jobs` is off. */
export async function startTwoFlags(t: Test): Promise<WireServer> {
  const audience = { id: 'a'.repeat(20), rules: [{ attribute: 'plan', values: ['pro'] }] };
  const flags = [
    { ...flagOn, id: checkoutId, name: 'checkout', names: ['checkout'], audienceId: audience.id },
    { ...flagOn, id: pauseJobsId, name: 'pause-jobs', names: ['pause-jobs'], enabled: false },
  ];
  const server = new WireServer({
    flags: new Map(flags.map((flag) => [flag.id, flag])),
    audiences: new Map([[audience.id, audience]]),
  });
  return server.start(t);
}

/** The variables with which programs of a test find a service. */
export function variablesFor(server: WireServer): NodeJS.ProcessEnv {
  return {
    ...process.env,
    BURGEE_URL: server.url,
    BURGEE_PROJECT: 'Qm4ZtR9bNdk3VvX0aPq1',
    BURGEE_ENVIRONMENT: 'production',
    BURGEE_TOKEN: server.token,
  };
}

export function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', resolve));
}

/** A CommonJS program that requires every entry, and prints `cjs true true`. */
export const commonJsProgram = `
const { connect } = require('burgee-client');
const { BurgeeProvider } = require('burgee-client/openfeature');
const { inMemory } = require('burgee-client/testing');
const { OpenFeature } = require('@openfeature/server-sdk');
const { BURGEE_URL: url, BURGEE_PROJECT: project, BURGEE_ENVIRONMENT: environment, BURGEE_TOKEN: token } = process.env;
exports.ask = async () => {
  const flags = await connect({ url, project, environment, token });
  await OpenFeature.setProviderAndWait(new BurgeeProvider(flags));
  const isOn = await OpenFeature.getClient().getBooleanValue('checkout', false, { plan: 'pro' });
  await OpenFeature.close();
  const [folder] = /cjs/.exec(require.resolve('burgee-client')) ?? ['not cjs'];
  return [folder, isOn, inMemory({ a: true }).isOn('a', {}, false)].join(' ');
};
if (require.main === module) exports.ask().then(console.log);
`;

/** A directory in which the client is installed, and its programs. */
export class UserOfClient {
  readonly #directory: string;
  readonly #node: string;

  constructor(directory: string, node = process.execPath) {
    this.#directory = directory;
    this.#node = node;
  }

  /** @returns the blocks of JavaScript of the package's README */
  readmeBlocks(): string[] {
    const text = readFileSync(join(this.#directory, 'node_modules', 'burgee-client', 'README.md'), 'utf8');
    return Array.from(text.matchAll(/```js\n([\s\S]*?)```/g), ([, block = '']) => block);
  }

  /** Writes `commonJsProgram`, with OpenFeature's SDK where it finds it. @returns its file */
  commonJs(): string {
    for (const name of ['@openfeature/server-sdk', '@openfeature/core']) linkPackage(name, this.#directory);
    writeFileSync(join(this.#directory, 'program.cjs'), commonJsProgram);
    return 'program.cjs';
  }

  /** Writes the README's first block as a program. @returns its file */
  firstAnswer(server: WireServer): string {
    const [first = ''] = this.readmeBlocks();
    const program = first
      .replace('https://flags.example.com', server.url)
      .replace('PROJECT_ID', 'Qm4ZtR9bNdk3VvX0aPq1');
    writeFileSync(join(this.#directory, 'first.js'), program);
    return 'first.js';
  }

  /** Runs a program to its end. @returns what it printed */
  async run(t: Test, file: string, server: WireServer): Promise<string> {
    const { child, lines } = this.start(t, file, server);
    t.equal(await exitOf(child), 0, file);
    return lines.join('\n');
  }

  /** Starts a program. @returns the process, and a way to wait for one of its lines */
  start(t: Test, file: string, server: WireServer) {
    const child = spawn(this.#node, [file], {
      cwd: this.#directory,
      env: { ...variablesFor(server), PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    const lookers = new Set<() => void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      for (const look of lookers) look();
    });
    const line = (passes: (line: string) => boolean): Promise<string> =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = lines.find(passes);
          if (found !== undefined) resolve(found);
        };
        lookers.add(look);
        look();
      });
    return { child, lines, line };
  }
}
