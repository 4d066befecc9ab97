import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { renderConfigurationPage } from '../../src/config/configuration-page.ts';
import { formerSettings } from '../../src/config/former-settings.ts';
import { type ConfigInput, type LoadedConfig, loadConfig } from '../../src/config/load-config.ts';
import { flagName, variableName } from '../../src/config/setting.ts';
import { type SettingName, settingNames } from '../../src/config/settings.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function load(input: Partial<ConfigInput>): LoadedConfig {
  return loadConfig({ flags: new Map(), configFile: undefined, environment: {}, ...input });
}

function configFile(t: Test, content: string): string {
  const path = join(temporaryDirectory(t), 'burgee.json');
  writeFileSync(path, content);
  return path;
}

/** A valid configuration's values, sources and warnings. */
function outcomeOf(loaded: LoadedConfig) {
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const { config, sources, warnings } = loaded;
  return { workers: config.workers, source: sources.get('workers'), warnings };
}

function problemsOf(loaded: LoadedConfig): readonly string[] {
  return loaded.ok ? [] : loaded.problems;
}

t.test('an earlier name sets the value and gives one warning, in each source', async (t) => {
  const why = 'the threads that evaluate flags are the workers. Rename it';
  t.strictSame(outcomeOf(load({ flags: new Map([['evaluatorThreads', '3']]) })), {
    workers: 3,
    source: 'flag',
    warnings: [`--evaluator-threads is now called --workers: ${why}`],
  });
  t.strictSame(outcomeOf(load({ environment: { BURGEE_EVALUATOR_THREADS: '3' } })), {
    workers: 3,
    source: 'environment',
    warnings: [`BURGEE_EVALUATOR_THREADS is now called BURGEE_WORKERS: ${why}`],
  });
  const file = configFile(t, '{"evaluatorThreads": 3}');
  t.strictSame(outcomeOf(load({ configFile: file })), {
    workers: 3,
    source: 'file',
    warnings: [`"evaluatorThreads" in ${file} is now called "workers" in ${file}: ${why}`],
  });
});

t.test('an earlier name keeps its precedence, and each use gives a warning', async (t) => {
  const input = {
    flags: new Map([['evaluatorThreads', '3']]),
    environment: { BURGEE_EVALUATOR_THREADS: '4' },
    configFile: configFile(t, '{"evaluatorThreads": 5}'),
  };
  const { workers, source, warnings } = outcomeOf(load(input));
  t.strictSame([workers, source, warnings.length], [3, 'flag', 3]);
});

t.test('a derived default follows a value given by an earlier name', async (t) => {
  const loaded = load({ environment: { BURGEE_EVALUATOR_THREADS: '3' } });
  t.equal(loaded.ok && loaded.config.cacheBytes, 3 * 256 * 2 ** 20);
});

t.test("an ignored setting's value is never read, and gives one warning", async (t) => {
  const why = 'a worker answers each request as it arrives, not in batches. Remove it';
  const file = configFile(t, '{"batchSize": ["none"]}');
  const warningsOf = (input: Partial<ConfigInput>): readonly string[] => outcomeOf(load(input)).warnings;
  t.strictSame(warningsOf({ flags: new Map([['batchSize', 'many']]) }), [`--batch-size is ignored: ${why}`]);
  t.strictSame(warningsOf({ environment: { BURGEE_BATCH_SIZE: '-1' } }), [
    `BURGEE_BATCH_SIZE is ignored: ${why}`,
  ]);
  t.strictSame(warningsOf({ configFile: file }), [`"batchSize" in ${file} is ignored: ${why}`]);
});

t.test('both names of a setting must have the same value, in every source', async (t) => {
  const same = load({
    environment: { BURGEE_WORKERS: '2', BURGEE_EVALUATOR_THREADS: ' 2' },
    configFile: configFile(t, '{"workers": 2}'),
  });
  t.match(outcomeOf(same), { workers: 2, source: 'environment', warnings: { length: 1 } });

  const environment = { BURGEE_WORKERS: '2', BURGEE_EVALUATOR_THREADS: '3' };
  t.strictSame(problemsOf(load({ environment })), [
    'BURGEE_EVALUATOR_THREADS is the former name of BURGEE_WORKERS, and their values differ: remove BURGEE_EVALUATOR_THREADS',
  ]);
  const file = configFile(t, '{"workers": 2}');
  const flags = new Map([['evaluatorThreads', '3']]);
  t.match(problemsOf(load({ flags, configFile: file })), [
    /^--evaluator-threads is the former name of "workers" in .*: remove --evaluator-threads$/,
  ]);
});

t.test('a wrong value is refused under the given name; an empty variable counts as absent', async (t) => {
  t.strictSame(problemsOf(load({ environment: { BURGEE_EVALUATOR_THREADS: 'all' } })), [
    'BURGEE_EVALUATOR_THREADS must be a whole number from 1 to 256, but it is "all"',
  ]);
  const empty = { BURGEE_EVALUATOR_THREADS: '', BURGEE_BATCH_SIZE: '', BURGEE_WORKERS: '2' };
  t.match(outcomeOf(load({ environment: empty })), { workers: 2, warnings: { length: 0 } });
});

t.test('no earlier name is suggested for a mistyped one', async (t) => {
  const problems = problemsOf(load({ environment: { BURGEE_EVALUATOR_THREAD: '2' } }));
  t.match(problems, [/^Unknown environment variable BURGEE_EVALUATOR_THREAD/]);
  t.notMatch(problems[0], /BURGEE_EVALUATOR_THREADS/);
});

t.test('earlier names are not settings; their present names are', async (t) => {
  const names: readonly string[] = settingNames;
  for (const { name, renamedTo } of formerSettings) {
    t.notOk(names.includes(name), name);
    if (renamedTo !== null) t.ok(names.includes(renamedTo satisfies SettingName), name);
  }
});

t.test('the page has a section about earlier names', async (t) => {
  const [table = '', section = ''] = renderConfigurationPage().split(
    '## Settings that were renamed or ignored',
  );
  for (const { name } of formerSettings) {
    t.notMatch(table, `\`${name}\``);
    for (const written of [name, flagName(name), variableName(name)]) t.match(section, `\`${written}\``);
  }
});
