import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { bootServer } from '../support/booted-server.ts';
import { debianPrograms } from '../support/debian-programs.ts';
import { idOf, projectOf, provision, tokenOf } from '../support/provisioning.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/* Applies the file of flags-from-a-file.md, and follows the recipes of pipelines.md, also where their commands fail. */
t.setTimeout(120_000);

const read = (page: string): string => readFileSync(join(repositoryRoot(), 'docs', page), 'utf8');
const commandsIn = (text: string): string[] =>
  Array.from(text.matchAll(/```bash\n([\s\S]*?)```/g), ([, code = '']) => code);

const pipelines = read('pipelines.md');
/** The commands of a recipe, by the anchor of its heading. */
function recipe(anchor: string): string {
  const [, section = ''] = pipelines.split(`<a id="${anchor}"></a>`);
  const [code, ...others] = commandsIn(section.split('\n## ')[0]?.split('\n### ')[0] ?? '');
  if (code === undefined || others.length > 0) throw new Error(`${anchor} has no block, or several`);
  return code;
}

const example = /```json\n(\{\n {2}"organisations"[\s\S]*?)```/.exec(read('flags-from-a-file.md'))?.[1] ?? '';
const [dataDir, directory] = [temporaryDirectory(t), temporaryDirectory(t)];
const provisioned = await provision(dataDir, temporaryDirectory(t), JSON.parse(example));
const shop = projectOf(provisioned, 'shop');

const { skip } = debianPrograms('curl', 'jq');
const server = await bootServer(t, { dataDir });
const url = `http://127.0.0.1:${server.port}`;
const flagId = idOf(shop.flags, 'checkout');
const { secret } = tokenOf(shop, 'ci');
/** The page's variables with the values of this service. */
const variables = (commandsIn(pipelines)[0] ?? '')
  .replace(/^URL=\S+/m, `URL=${url}`)
  .replace(/^FLAG=\S+/m, `FLAG=${flagId}`)
  .replace(/^TOKEN=\S+/m, `TOKEN=${secret}`);

function paste(...blocks: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('bash', [], {
    cwd: directory,
    encoding: 'utf8',
    input: [variables, ...blocks].join('\n'),
  });
}

/** Pastes what all recipes begin with, and one recipe. */
const follow = (anchor: string) => paste(recipe('recipes'), recipe(anchor));

const write = (name: string, text: string) => writeFileSync(join(directory, name), text, { mode: 0o755 });
const smokeTest = (status: number) => write('smoke-test.sh', `#!/bin/sh\nexit ${status}\n`);

interface State {
  readonly enabled: boolean;
  readonly trafficPercentage: number;
  readonly cohorts: readonly string[];
}
const flagAddress = `${url}/api/v1/flags/${flagId}?env=production`;
const authorization = `Bearer ${secret}`;

async function patch(state: Partial<State>): Promise<void> {
  const body = JSON.stringify(state);
  const answer = await fetch(flagAddress, { method: 'PATCH', headers: { authorization }, body });
  if (!answer.ok) throw new Error(await answer.text());
}

async function expectState(t: Test, expected: Partial<State>): Promise<void> {
  t.match(await (await fetch(flagAddress, { headers: { authorization } })).json(), expected);
}

async function isOn(caller: string): Promise<boolean> {
  const answer = await fetch(`${url}/v1/flags/${flagId}?env=production&${caller}`);
  return ((await answer.json()) as { enabled: boolean }).enabled;
}

t.test('the file in flags-from-a-file.md can be applied unchanged', async (t) => {
  t.same(Object.keys(shop.flags), ['checkout']);
  t.same(Object.keys(shop.audiences), ['Pro']);
  t.match(tokenOf(shop, 'ci').secret, /^burgee_[0-9A-Za-z]{49}$/);
});

t.test('"Enable after a deploy" reaches callers of a flag that was off at 0 %', { skip }, async (t) => {
  await patch({ enabled: false, trafficPercentage: 0 });
  t.equal(follow('recipe-enable').status, 0);
  t.equal(await isOn('targetingKey=user-42'), true);
});

t.test('"Roll out in steps" stops at the first step when the smoke test fails', { skip }, async (t) => {
  smokeTest(1);
  t.not(follow('recipe-rollout').status, 0);
  await expectState(t, { enabled: true, trafficPercentage: 50 });
  smokeTest(0);
  t.equal(follow('recipe-rollout').status, 0);
  await expectState(t, { trafficPercentage: 100 });
});

t.test('"Kill switch" switches off and fails when the smoke test fails', { skip }, async (t) => {
  smokeTest(0);
  t.equal(follow('recipe-kill-switch').status, 0);
  await expectState(t, { enabled: true });
  smokeTest(1);
  t.not(follow('recipe-kill-switch').status, 0);
  await expectState(t, { enabled: false });
});

t.test(
  '"Run a step" runs it only when the flag is on, and fails when it cannot know',
  { skip },
  async (t) => {
    write('migrate.sh', '#!/bin/sh\necho migrated\n');
    t.match(follow('recipe-read'), { status: 0, stdout: '' });
    await patch({ enabled: true });
    t.match(follow('recipe-read'), { status: 0, stdout: 'migrated\n' });
    const refused = paste('TOKEN=burgee_wrong', recipe('recipes'), recipe('recipe-read'));
    t.not(refused.status, 0);
    t.notMatch(refused.stdout, /migrated/);
  },
);

t.test('"Keep a cohort list" reads lines as people write them, and needs the file', { skip }, async (t) => {
  write('alpha-testers.txt', 'bob@example.test\r\n\r\n  ada@example.test \r\n   \r\nbob@example.test\r\n');
  await patch({ trafficPercentage: 0 });
  t.match(follow('recipe-cohorts'), { status: 0, stdout: /"changed":true/ });
  await expectState(t, { cohorts: ['ada@example.test', 'bob@example.test'] });
  t.equal(await isOn('cohort=ada@example.test'), true);
  t.match(follow('recipe-cohorts'), { status: 0, stdout: /"changed":false/ });
  rmSync(join(directory, 'alpha-testers.txt'));
  t.not(follow('recipe-cohorts').status, 0);
  await expectState(t, { cohorts: ['ada@example.test', 'bob@example.test'] });
  write('alpha-testers.txt', '');
  t.equal(follow('recipe-cohorts').status, 0);
  t.equal(await isOn('cohort=ada@example.test'), false);
});

t.test('"Find the id of a flag" prints it, and fails if there is none', { skip }, async (t) => {
  t.match(follow('recipe-find'), { status: 0, stdout: `${flagId}\n` });
  t.not(paste(recipe('recipes'), recipe('recipe-find').replace('checkout', 'check-out')).status, 0);
});
