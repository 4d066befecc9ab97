import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { exampleCaller } from '../../src/console/screens/flag/example-caller.ts';
import { type SnippetInput, snippetsOf } from '../../src/console/screens/flag/snippets.ts';
import type { ConsoleFlagView } from '../../src/contracts/console/flag-views.ts';
import { bootServer } from '../support/booted-server.ts';
import { debianPrograms } from '../support/debian-programs.ts';
import { idOf, projectOf, provision } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* What the console shows under «Code». */
t.setTimeout(120_000);

const place: SnippetInput = {
  baseUrl: 'https://flags.example.test',
  project: 'Qm4ZtR9bNdk3VvX0aPq7',
  tokenProject: 'shop',
  environment: 'production',
  flagId: 'k3VvX0aPq7Lw2ZtR9bNd',
  flagName: 'checkout',
  flagKey: 'checkout',
  caller: {
    targetingKey: 'user-42',
    cohort: 'beta',
    attributes: [{ name: 'it\'s a "plan"', value: 'pro\\ & more' }],
    offBecause: null,
  },
};

function codeOf(id: string, given: SnippetInput = place): string {
  return snippetsOf(given).find((snippet) => snippet.id === id)?.code ?? '';
}

t.test('each snippet has the address, the flag and the caller', async (t) => {
  const prefixed = ['node', 'web', 'python', 'go', 'java'];
  for (const { id, code } of snippetsOf(place)) {
    // All flags at once come by name.
    t.match(code, id === 'web' ? '"checkout"' : place.flagId, id);
    t.match(code, 'user-42', id);
    t.match(code, 'beta', id);
    const base = `"${place.baseUrl}/projects/${place.project}/production"`;
    t.equal(code.includes(base), prefixed.includes(id), id);
    // A flag's id is enough for the Evaluation API.
    if (id === 'curl') continue;
    t.match(code, id === 'burgee-client' ? 'project: "shop"' : place.project, id);
    t.match(code, JSON.stringify(place.caller.attributes[0]?.value), id);
  }
  // The .NET provider drops the path of its address.
  t.match(codeOf('dotnet'), `new OfrepOptions("${place.baseUrl}")`);
  t.match(codeOf('dotnet'), `["X-API-Key"] = "${place.project}/production"`);
  t.match(codeOf('burgee-client'), `environment: "production"`);
});

t.test('a single-environment project has no environment in its addresses', async (t) => {
  const single = { ...place, environment: null };
  t.notMatch(codeOf('curl', single), 'env=');
  t.notMatch(codeOf('burgee-client', single), 'environment');
  t.match(codeOf('node', single), `"${place.baseUrl}/projects/${place.project}"`);
  t.match(codeOf('dotnet', single), `["X-API-Key"] = "${place.project}"`);
});

t.test('a name cannot end the comment that it stands in', async (t) => {
  for (const name of ['two\u2028lines', 'two\nlines', 'u\\u000aline', 'turned \u202e text']) {
    for (const { id, code } of snippetsOf({ ...place, flagName: name })) {
      t.notMatch(code, /[\u2028\u202e]/u, id);
      t.notMatch(code, 'u\\u000aline', id);
      t.equal(code.split('\n').length, codeOf(id).split('\n').length, id);
    }
  }
});

t.test('a snippet says that the flag is off for every caller', async (t) => {
  const caller = { ...place.caller, offBecause: 'it is switched off' };
  for (const { id, code } of snippetsOf({ ...place, caller })) {
    t.match(code, /checkout: off for every caller in production now: it is switched off\n/, id);
  }
  for (const { id, code } of snippetsOf(place)) t.notMatch(code, 'off for every caller', id);
});

t.test('the example caller has everything that decides for somebody', async (t) => {
  const state = { enabled: true, trafficPercentage: 100, cohortOverride: ['own'], audienceId: 'a' };
  const flag = { id: place.flagId, cohorts: ['shared'] };
  const audience = { rules: [{ attribute: 'plan', values: ['pro', 'team'] }] };
  const attributes = [{ name: 'plan', value: 'pro' }];
  t.match(exampleCaller(flag, state, audience), { cohort: 'own', attributes, offBecause: null });
  const unread = exampleCaller({ ...flag, cohorts: [] }, { ...state, cohortOverride: null }, null);
  t.equal(unread.offBecause, 'its audience cannot be read and it has no cohorts');
});

const rules = [
  { attribute: "it's a plan", values: ['pro & more', 'team'] },
  { attribute: 'region', values: ['ü'] },
];
const states = {
  everyone: { trafficPercentage: 100 },
  few: { trafficPercentage: 1 },
  'an audience': { trafficPercentage: 100, audience: 'Pro' },
  'some of an audience': { trafficPercentage: 3, audience: 'Pro' },
  'cohorts of its own': { trafficPercentage: 0, cohorts: ['a+b c'] },
  'cohorts alone': { trafficPercentage: 0, audience: 'Pro' },
};
const answered = new Map<string, boolean>([
  ...Object.keys(states).map((name) => [name, true] as const),
  ['nobody', false],
  ['switched off', false],
]);

const { skip } = debianPrograms('curl');

/** Asks as OpenFeature's providers do, at the addresses that the snippets give them. */
async function expectProvidersAnswer(t: Test, given: SnippetInput): Promise<void> {
  const { targetingKey, cohort, attributes, offBecause } = given.caller;
  const pairs = attributes.map(({ name, value }) => [name, value] as const);
  const context = { targetingKey, ...(cohort === null ? {} : { cohort }), ...Object.fromEntries(pairs) };
  const [, base = ''] = /baseUrl: "(.*)"/.exec(codeOf('node', given)) ?? [];
  const [, root = ''] = /new OfrepOptions\("(.*)"\)/.exec(codeOf('dotnet', given)) ?? [];
  const [, key = ''] = /\["X-API-Key"\] = "(.*)"/.exec(codeOf('dotnet', given)) ?? [];
  for (const [address, headers] of [
    [base, {}],
    [root, { 'x-api-key': key }],
  ] as const) {
    const answer = await fetch(`${address}/ofrep/v1/evaluate/flags/${given.flagId}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ context }),
    });
    t.match(await answer.json(), { key: given.flagId, value: offBecause === null }, address);
  }
}

t.test('the curl line answers true wherever the flag is on for somebody', { skip }, async (t) => {
  const dataDir = temporaryDirectory(t);
  const flags = Object.entries({
    ...states,
    nobody: { trafficPercentage: 0 },
    'switched off': { trafficPercentage: 100, enabled: false },
  }).map(([name, state]) => ({
    name,
    cohorts: name === 'cohorts alone' ? ["o'brien"] : [],
    environments: { production: { enabled: true, ...state } },
  }));
  const declared = { name: 'shop', environments: ['production'], audiences: [{ name: 'Pro', rules }], flags };
  const document = { organisations: [{ name: 'Acme', plan: 'enterprise', projects: [declared] }] };
  const shop = projectOf(await provision(dataDir, temporaryDirectory(t), document), 'shop');
  const { port } = await bootServer(t, { dataDir });
  for (const { name, cohorts, environments } of flags) {
    const { enabled, trafficPercentage, ...others } = environments.production;
    const hasAudience = 'audience' in others;
    const state: ConsoleFlagView['states'][string] = {
      ...{ enabled, trafficPercentage },
      cohortOverride: 'cohorts' in others ? others.cohorts : null,
      audienceId: hasAudience ? 'Hc5PnT8xYsQ1uWm6rGf3' : null,
    };
    const flagId = idOf(shop.flags, name);
    const caller = exampleCaller({ id: flagId, cohorts }, state, hasAudience ? { rules } : null);
    t.equal(caller.offBecause === null, answered.get(name), name);
    const baseUrl = `http://127.0.0.1:${port}`;
    const code = codeOf('curl', { ...place, baseUrl, flagId, flagName: name, caller });
    await expectProvidersAnswer(t, {
      ...place,
      baseUrl,
      project: shop.id,
      tokenProject: shop.id,
      flagId,
      caller,
    });
    const printed = execFileSync('sh', ['-c', `${code} --silent`], { encoding: 'utf8' });
    t.match(JSON.parse(printed), { id: flagId, enabled: answered.get(name) }, `${name}: ${code}`);
  }
});

t.test('the Java packages are those that are tried against the service', async (t) => {
  const pom = readFileSync(join(repositoryRoot(), 'test', 'providers', 'java', 'pom.xml'), 'utf8');
  const install = snippetsOf(place).find(({ id }) => id === 'java')?.install ?? '';
  const versions = Array.from(install.matchAll(/<artifactId>([\s\S]*?)<\/version>/g), ([found]) =>
    found.replaceAll(/\s+/g, ''),
  );
  t.equal(versions.length, 2);
  for (const version of versions) t.ok(pom.replaceAll(/\s+/g, '').includes(version), version);
});

t.test('the pages of the documentation show the same lines', async (t) => {
  const caller = { ...place.caller, cohort: null, attributes: [{ name: 'plan', value: 'pro' }] };
  const named = { ...place, tokenProject: place.project, flagId: 'checkout', caller };
  const shown = snippetsOf({ ...named, baseUrl: 'https://flags.example.com' });
  const pages: Readonly<Record<string, string>> = {
    'burgee-client': 'node',
    node: 'node',
    web: 'browser',
    python: 'python',
    go: 'go',
    java: 'java',
    dotnet: 'other-languages',
  };
  for (const [id, page] of Object.entries(pages)) {
    const text = readFileSync(join(repositoryRoot(), 'docs', `${page}.md`), 'utf8');
    const { code, install } = shown.find((snippet) => snippet.id === id) ?? {};
    t.ok(text.includes(`\n${code}\n\`\`\``), `${page}: ${id}`);
    t.ok(text.includes(`\n${install}\n\`\`\``), `${page}: what installs ${id}`);
  }
});
