/*
 * npm run test:interop [-- GENERATOR …]: generates clients from docs/openapi.json, builds and runs a program with each
 * against a booted server, and compares what it saw. Without names, test:providers follows. Exits with 1 on an
 * unexpected result, with 2 on wrong usage.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { columns } from '../providers/outcome-table.ts';
import { bootServer, unlimited } from '../support/booted-server.ts';
import { bearer, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { withLifetime } from '../support/lifetime.ts';
import { idOf, type Provisioned, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Generators whose clients lose attributes, as docs/openapi.md says. One that sends them is an unexpected result. */
const losesAttributes: ReadonlySet<string> = new Set([
  'openapi-generator-go',
  'openapi-generator-java-native',
  'openapi-generator-python',
]);
/** To which each program changes the flag's traffic. */
const changedPercentage = 7;
const runTimeoutMs = 10 * 60_000;
/** How much of a failed run's output is shown, in characters. */
const outputCharsMax = 4_000;

const sources = join(repositoryRoot(), 'test', 'interop');
/** Git ignores it. What is installed stays there for the next run. */
const installed = join(repositoryRoot(), '.interop');
const sharedScript = 'openapi-generator.sh';

/** The last line that a program prints. */
interface Seen {
  /** Whether the flag is on for `plan` = `pro`. */
  readonly attribute: boolean;
  /** How many flags the project has. */
  readonly flags: number;
  readonly updatedAt: number;
  /** Of the answer to the PATCH. */
  readonly trafficPercentage: number;
}

interface Row {
  readonly cells: readonly string[];
  readonly isUnexpected: boolean;
}

/** @returns the commands of a generator that this machine lacks */
function missingTools(name: string): readonly string[] {
  const needs = /^# needs: (.*)$/m.exec(readFileSync(join(sources, name, 'run.sh'), 'utf8'))?.[1];
  if (needs === undefined) throw new Error(`${name}/run.sh does not say what it needs`);
  return needs.split(', ').filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
}

function versionOf(name: string): string {
  for (const script of [join(name, 'run.sh'), sharedScript]) {
    const version = /^version=(.*)$/m.exec(readFileSync(join(sources, script), 'utf8'))?.[1];
    if (version !== undefined) return version;
  }
  throw new Error(`no version of ${name}`);
}

/** A project for each generator: none sees the changes of another. */
const documentFor = (names: readonly string[]): unknown => ({
  organisations: [
    {
      name: 'Acme',
      plan: 'enterprise',
      projects: names.map((name) => ({
        name,
        environments: ['production', 'staging'],
        audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro'] }] }],
        flags: [
          {
            name: 'checkout',
            environments: { production: { enabled: true, trafficPercentage: 100, audience: 'Pro' } },
          },
        ],
        tokens: [{ name: 'ci', permission: 'write' }],
      })),
    },
  ],
});

/** @throws Error with the end of the output of a run that fails */
async function runProgram(name: string, env: Readonly<Record<string, string>>): Promise<Seen> {
  const folder = join(installed, name);
  cpSync(join(sources, name), folder, { recursive: true });
  const child = spawn('sh', ['run.sh'], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: runTimeoutMs,
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (child.exitCode !== 0)
    throw new Error(`run.sh failed (${child.exitCode}):\n${(output + errors).slice(-outputCharsMax)}`);
  return JSON.parse(output.trimEnd().split('\n').at(-1) ?? '') as Seen;
}

/** Asks the Management API itself. */
async function readFlag(
  api: HttpClient,
  id: string,
  token: string,
): Promise<{ updatedAt: number; trafficPercentage: number }> {
  const path = `/api/v1/flags/${id}?env=production`;
  const { status, text } = await api.send({ path, headers: bearer(token) });
  if (status !== 200) throw new Error(`the flag: ${status} ${text}`);
  return JSON.parse(text) as { updatedAt: number; trafficPercentage: number };
}

async function tryGenerator(
  name: string,
  provisioned: Provisioned,
  port: number,
  api: HttpClient,
): Promise<Row> {
  const project = projectOf(provisioned, name);
  const flag = idOf(project.flags, 'checkout');
  const token = tokenOf(project, 'ci').secret;
  const before = await readFlag(api, flag, token);
  const startedAt = performance.now();
  const seen = await runProgram(name, {
    OPENAPI: join(repositoryRoot(), 'docs', 'openapi.json'),
    URL: `http://127.0.0.1:${port}`,
    TOKEN: token,
    FLAG: flag,
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const after = await readFlag(api, flag, token);
  const isLost = losesAttributes.has(name);
  const isAttributeExpected = seen.attribute === !isLost;
  const isExact = seen.updatedAt === before.updatedAt;
  const isApplied =
    after.trafficPercentage === changedPercentage && seen.trafficPercentage === changedPercentage;
  const isExpected = isAttributeExpected && seen.flags === 1 && isExact && isApplied;
  return {
    cells: [
      name,
      versionOf(name),
      `${seen.attribute ? 'sent' : 'lost'}${isAttributeExpected ? (isLost ? ', as documented' : '') : ', unexpected'}`,
      String(seen.flags),
      isExact ? 'exact' : `${seen.updatedAt}, not ${before.updatedAt}`,
      isApplied ? 'applied' : `stored ${after.trafficPercentage}, answered ${seen.trafficPercentage}`,
      String(seconds),
      isExpected ? 'passed' : 'failed',
    ],
    isUnexpected: !isExpected,
  };
}

const wanted = process.argv.slice(2);
const names = readdirSync(sources).filter((name) => existsSync(join(sources, name, 'run.sh')));
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. There are: ${names.join(', ')}.`);
  process.exit(2);
}

const rows = await withLifetime(async (t) => {
  const dataDir = temporaryDirectory(t);
  const provisioned = await provision(dataDir, temporaryDirectory(t), documentFor(names));
  const { port } = await bootServer(t, { dataDir, settings: unlimited });
  const api = createHttpClient(t, { port });
  cpSync(join(sources, sharedScript), join(installed, sharedScript));
  const found: Row[] = [];
  for (const name of names.filter((each) => wanted.length === 0 || wanted.includes(each))) {
    const missing = missingTools(name);
    if (missing.length > 0) {
      console.log(`${name} is skipped: this machine has no ${missing.join(', ')}`);
      found.push({ cells: [name, versionOf(name), '', '', '', '', '', 'skipped'], isUnexpected: false });
      continue;
    }
    console.log(`${name} ...`);
    found.push(
      await tryGenerator(name, provisioned, port, api).catch((fault: Error) => {
        console.log(`${name}: ${fault.message}`);
        return { cells: [name, versionOf(name), '', '', '', '', '', 'failed'], isUnexpected: true };
      }),
    );
  }
  return found;
});

const head = ['generator', 'version', 'attribute', 'flags', 'updatedAt', 'PATCH', 'seconds', 'result'];
console.log(columns([head, ...rows.map(({ cells }) => cells)]));
// This sets the exit code of the providers, so it comes before the one of the generators.
if (wanted.length === 0) await import('../providers/main.ts');
if (rows.some(({ isUnexpected }) => isUnexpected)) process.exitCode = 1;
