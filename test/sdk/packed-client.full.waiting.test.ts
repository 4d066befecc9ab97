import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  checkoutId,
  exitOf,
  installClient,
  linkPackage,
  flagOn as on,
  packClient,
  pauseJobsId,
  startTwoFlags,
  UserOfClient,
} from './client-package.ts';

/* The package as its users get it: packed, installed into an empty directory, and run there. */
t.setTimeout(300_000);

const root = repositoryRoot();
const tarball = packClient();
const directory = temporaryDirectory(t);
installClient(tarball, directory);
const user = new UserOfClient(directory);

t.test('the package has one dependency, three entries and no native code', async (t) => {
  const folder = join(directory, 'node_modules', 'burgee-client');
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  t.same(Object.keys(manifest.dependencies), ['eventsource-parser']);
  t.same(manifest.dependencies, { 'eventsource-parser': '3.1.1' });
  t.match(manifest, { type: 'module', sideEffects: false, engines: { node: '>=18' } });
  t.same(manifest.peerDependenciesMeta, { '@openfeature/server-sdk': { optional: true } });
  t.same(Object.keys(manifest.exports), ['.', './openfeature', './testing', './package.json']);
  t.same(
    readdirSync(join(directory, 'node_modules'))
      .filter((name) => !name.startsWith('.'))
      .sort(),
    ['burgee-client', 'eventsource-parser'],
  );
  t.equal(tarball, join(root, 'dist', `burgee-client-${manifest.version}.tgz`));
});

t.test('every service hands out the package of its own version', async (t) => {
  const { port } = await bootServer(t, { dataDir: temporaryDirectory(t) });
  const answer = await fetch(`http://127.0.0.1:${port}/docs/burgee-client.tgz`);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'application/gzip');
  t.ok(
    readFileSync(tarball).equals(Buffer.from(await answer.arrayBuffer())),
    'the one that a checkout packs',
  );
});

t.test('the README’s first answer comes in six lines', async (t) => {
  const lines =
    user
      .readmeBlocks()[0]
      ?.split('\n')
      .filter((line) => line !== '') ?? [];
  t.ok(lines.length > 0 && lines.length <= 6, `${lines.length} lines`);
  const server = await startTwoFlags(t);
  t.equal(await user.run(t, user.firstAnswer(server), server), 'true');
});

t.test('the README’s other blocks run', async (t) => {
  const server = await startTwoFlags(t);
  linkPackage('@openfeature/server-sdk', directory);
  linkPackage('@openfeature/core', directory);
  const [, explaining = '', rotating = '', provider = '', testing = ''] = user.readmeBlocks();
  const where = `{ url: '${server.url}', project: 'Qm4ZtR9bNdk3VvX0aPq1', environment: 'production', token: 'secret-token' }`;
  const programs = {
    explaining: `import { connect } from 'burgee-client';\nconst flags = await connect(${where});\n${explaining}
      console.log(value, rule, reason, bucket, explanation);`,
    rotating: `import { connect } from 'burgee-client';\n${rotating.replace('/run/secrets/burgee-token', 'token')}
      console.log((await connect({ ...${where}, token })).status);`,
    provider: `const { url, project, environment, token } = ${where};\n${provider}
      console.log(isOn); await OpenFeature.close();`,
    testing: `${testing}\nconsole.log(JSON.stringify(flags.asked));`,
  };
  writeFileSync(join(directory, 'token'), `${server.token}\n`);
  const printed: Record<string, string> = {};
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(directory, `${name}.js`), text);
    printed[name] = await user.run(t, `${name}.js`, server);
  }
  t.match(printed['explaining'], /^false audience audience-mismatch [\d.]+ Audience .* does not match/);
  t.equal(printed['rotating'], 'ready');
  t.equal(printed['provider'], 'false');
  t.equal(printed['testing'], '["checkout"]');
});

t.test('a service in the way of Express answers by the flags, and follows them', async (t) => {
  const server = await startTwoFlags(t);
  const file = 'node_modules/burgee-client/examples/express-service.mjs';
  const { child, line } = user.start(t, file, server);
  const url = await line((text) => text.startsWith('http'));
  t.equal(await (await fetch(url, { headers: { 'x-user': 'u' } })).text(), 'the new checkout\n');
  server.put({ ...on, revision: 2, id: checkoutId, name: 'checkout', names: ['checkout'], enabled: false });
  const until = Date.now() + 10_000;
  let answer = '';
  while (answer !== 'the old checkout\n' && Date.now() < until) answer = await (await fetch(url)).text();
  t.equal(answer, 'the old checkout\n');
  child.kill('SIGTERM');
  t.equal(await exitOf(child), 0, 'it ends in order');
  t.ok(server.reports.flatMap(({ flags }) => flags).length > 0, 'its counts were sent');
});

t.test('a worker process pauses while a flag says so', async (t) => {
  const server = await startTwoFlags(t);
  server.put({ ...on, revision: 2, id: pauseJobsId, name: 'pause-jobs', names: ['pause-jobs'] });
  const file = 'node_modules/burgee-client/examples/worker-process.mjs';
  const { child, line, lines } = user.start(t, file, server);
  await line((text) => text === 'paused');
  server.put({
    ...on,
    revision: 3,
    id: pauseJobsId,
    name: 'pause-jobs',
    names: ['pause-jobs'],
    enabled: false,
  });
  t.equal(await exitOf(child), 0);
  t.same(lines, ['paused', 'job 1 is done', 'job 2 is done', 'job 3 is done']);
});

t.test('a serverless function asks once for its requests of a minute', async (t) => {
  const server = await startTwoFlags(t);
  const program = `import { handler } from './node_modules/burgee-client/examples/serverless-function.mjs';
    const now = Date.now;
    for (const later of [0, 59_000, 61_000]) {
      Date.now = () => now() + later;
      console.log((await handler({ user: 'a', country: 'CH' })).body);
    }`;
  writeFileSync(join(directory, 'function.js'), program);
  t.equal(await user.run(t, 'function.js', server), 'the old checkout\nthe old checkout\nthe old checkout');
  t.same(
    server.requests.map(({ kind }) => kind).filter((kind) => kind === 'snapshot'),
    ['snapshot', 'snapshot'],
  );
});

t.test('a CommonJS program requires the entries', async (t) => {
  t.equal(await user.run(t, user.commonJs(), await startTwoFlags(t)), 'cjs true true');
});

const typedProgram = `
import { connect, type BurgeeClient, type Explanation } from 'burgee-client';
import { BurgeeProvider } from 'burgee-client/openfeature';
import { inMemory, type InMemoryClient } from 'burgee-client/testing';
import type { Provider } from '@openfeature/server-sdk';
export async function ask(): Promise<Provider> {
  const flags: BurgeeClient = await connect({ url: new URL('http://a'), project: 'p', token: 't', mode: 'poll' });
  const isOn: boolean = flags.isOn('a', { targetingKey: 'u', cohort: ['a', 'b'], plan: 'pro', seats: 5 }, false);
  const explained: Explanation = flags.explain('a', {}, isOn);
  const rule: 'switch' | 'cohort' | 'audience' | 'percentage' | null = explained.rule;
  const end: () => void = flags.on('change', (names) => names.map((name) => name.toUpperCase()));
  flags.on('status', (status, why) => console.log(status satisfies 'ready' | 'stale' | 'error', why, rule));
  // @ts-expect-error there is no such event
  flags.on('changed', end);
  // @ts-expect-error the fallback is missing
  flags.isOn('a', {});
  // @ts-expect-error no token
  await connect({ url: '', project: 'p' });
  const memory: InMemoryClient = inMemory({ a: true, b: { cohorts: ['staff'] } });
  return new BurgeeProvider(memory);
}
`;

/** The ways in which TypeScript looks for types: the program's file, and the compiler's options. */
const waysOfTypes = {
  'NodeNext, as a module': ['types.mts', { module: 'NodeNext' }],
  'node16, for CommonJS': ['types.cts', { module: 'node16' }],
  'node10, for CommonJS': [
    'types.ts',
    { module: 'CommonJS', moduleResolution: 'node10', ignoreDeprecations: '6.0' },
  ],
} as const;

for (const [way, [file, options]] of Object.entries(waysOfTypes)) {
  t.test(`a program in strict TypeScript gets the types: ${way}`, async (t) => {
    for (const name of ['@types/node', 'undici-types']) linkPackage(name, directory);
    writeFileSync(join(directory, file), typedProgram);
    const strict = {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
      target: 'ES2022',
      lib: ['ES2022'],
    };
    const project = { compilerOptions: { ...strict, ...options }, files: [file] };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(project));
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', directory], { encoding: 'utf8' });
    t.equal(stdout, '');
    t.equal(status, 0);
  });
}
