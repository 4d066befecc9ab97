import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* A client that openapi-typescript makes of docs/openapi.json compiles strictly, and its calls mean what they say. */
t.setTimeout(120_000);

const root = repositoryRoot();
const project = {
  name: 'shop',
  environments: ['production', 'staging'],
  audiences: [{ name: 'Pro', rules: [{ attribute: 'plan', values: ['pro', 'team'] }] }],
  flags: [
    {
      name: 'checkout',
      environments: { production: { enabled: true, trafficPercentage: 100, audience: 'Pro' } },
    },
  ],
  tokens: [{ name: 'ci', permission: 'write' }],
};

/** The module in docs/openapi.md. */
function documentedModule(): string {
  const page = readFileSync(join(root, 'docs/openapi.md'), 'utf8');
  return /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
}

/** What is asked of the client; each line of its output is one answer. */
const calls = `
import { connect, isOn } from './client.js';
import type { components, paths } from './burgee.js';

const [url = '', token = '', flagId = '', projectId = ''] = process.argv.slice(2);
const client = connect(url, token);
const tell = (name: string, value: unknown) => console.log(JSON.stringify([name, value]));

tell('with the attribute', await isOn(client, flagId, 'pro'));
tell('with another', await isOn(client, flagId, 'free'));
tell('of a name with signs', await isOn(client, flagId, 'a&b=c +%'));

const list = await client.GET('/v1/flags/project/{project_id}', {
  params: { path: { project_id: projectId }, query: { env: 'production', attributes: { plan: 'team' } } },
});
tell('the project', list.data?.map(({ name, enabled }) => [name, enabled]));

const { data: health } = await client.GET('/health');
tell('health', health?.status satisfies 'ok' | undefined);

const description = await client.GET('/api/v1/token');
tell('the token', description.data?.permission);

const tried = await client.PATCH('/api/v1/flags/{id}', {
  params: { path: { id: flagId }, query: { env: 'production', dryRun: true } },
  body: { trafficPercentage: 5 },
});
const flag: components['schemas']['FlatFlag'] | undefined = tried.data?.flag;
tell('a dry run', [tried.data?.changed, flag?.trafficPercentage]);
const read = await client.GET('/api/v1/flags/{id}', {
  params: { path: { id: flagId }, query: { env: 'production' } },
});
tell('is not made', read.data !== undefined && 'trafficPercentage' in read.data && read.data.trafficPercentage);

const place = { path: { project_id: projectId, environment: 'production' } };
const byOfrep = await client.POST('/projects/{project_id}/{environment}/ofrep/v1/evaluate/flags/{key}', {
  params: { path: { ...place.path, key: 'checkout' } },
  body: { context: { targetingKey: 'user-42', plan: 'pro' } },
});
tell('by OFREP', [byOfrep.data?.value, byOfrep.data?.reason, byOfrep.error?.errorCode ?? null]);
const synced = await client.GET('/sync/v1/{project_id}/{environment}', { params: place });
const snapshot = typeof synced.data === 'object' ? synced.data : undefined;
tell('by sync', [snapshot?.flags.length, snapshot?.audiences[0]?.rules[0]?.values]);
const reported = await client.POST('/sync/v1/usage/{project_id}/{environment}', {
  params: place,
  body: { reportId: 'report-1', flags: [{ id: flagId, on: 1, off: 0 }] },
});
tell('reported', reported.data?.counted);

const created = await client.POST('/api/v1/flags', { body: { name: 'new', environments: { staging: { enabled: true } } } });
tell('created', [created.response.status, created.data?.kind]);

const refused = await client.GET('/api/v1/flags/{id}', { params: { path: { id: 'none' } } });
// The one answer without an envelope is told by its type.
if (refused.error !== undefined) {
  tell('refused', typeof refused.error === 'string' ? refused.error satisfies 'Too Many Requests\\n' : refused.error.error);
}

// What the document must not allow.
type Query = NonNullable<paths['/api/v1/flags']['post']['parameters']['query']>;
// @ts-expect-error a boolean, not its text
const wrong: Query = { dryRun: 'true' };
tell('wrong', wrong.dryRun);
`;

const compilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noUnusedLocals: true },
  ...{ target: 'ES2023', module: 'NodeNext', moduleResolution: 'NodeNext', types: ['node'] },
  ...{ skipLibCheck: true, rootDir: 'src', outDir: 'out' },
};

t.test('a generated client compiles strictly, and its calls are answered', async (t) => {
  const folder = temporaryDirectory(t);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { default: generate, astToString } = await import('openapi-typescript');
  const types = astToString(await generate(pathToFileURL(join(root, 'docs/openapi.json'))));
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  writeFileSync(join(folder, 'src', 'burgee.d.ts'), types);
  writeFileSync(join(folder, 'src', 'client.ts'), documentedModule());
  writeFileSync(join(folder, 'src', 'calls.ts'), calls);
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  t.equal(compiled.stdout, '');
  t.equal(compiled.status, 0);

  const dataDir = temporaryDirectory(t);
  const document = { organisations: [{ name: 'Acme', plan: 'enterprise', projects: [project] }] };
  const shop = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'shop');
  const { port } = await bootServer(t, { dataDir });
  const told = spawnSync(
    process.execPath,
    [
      join(folder, 'out', 'calls.js'),
      `http://127.0.0.1:${port}`,
      tokenOf(shop, 'ci').secret,
      idOf(shop.flags, 'checkout'),
      shop.id,
    ],
    { encoding: 'utf8' },
  );
  t.equal(told.stderr, '');
  const answers = told.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  t.same(answers, [
    ['with the attribute', true],
    ['with another', false],
    ['of a name with signs', false],
    ['the project', [['checkout', true]]],
    ['health', 'ok'],
    ['the token', 'write'],
    ['a dry run', [true, 5]],
    ['is not made', 100],
    ['by OFREP', [true, 'STATIC', null]],
    ['by sync', [1, ['pro', 'team']]],
    ['reported', 1],
    ['created', [201, 'groupflag']],
    ['refused', 'Not found'],
    ['wrong', 'true'],
  ]);
});
