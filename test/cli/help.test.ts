import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runBurgeeOrThrow } from '../support/burgee-command.ts';
import { repositoryRoot } from '../support/repository-root.ts';

/*
 * Every help text as it was last reviewed. After an intended change, write the file anew and review its diff:
 *
 *   WRITE_HELP=1 node dist/test/cli/help.test.js
 */
t.setTimeout(120_000);

const file = join(repositoryRoot(), 'test', 'fixtures', 'command-line-help.txt');

/** `Commands:` and each line of a command below it: two spaces, its name, and its description. */
function commandsIn(help: string): string[] {
  const [, list = ''] = help.split('\nCommands:\n');
  const names = Array.from(list.matchAll(/^ {2}([a-z][a-z-]*)/gm), ([, name]) => String(name));
  return names.filter((name) => name !== 'help');
}

async function helpOf(command: readonly string[]): Promise<string> {
  const help = await runBurgeeOrThrow([...command, '--help']);
  const rest: string[] = [];
  for (const name of commandsIn(help)) rest.push(await helpOf([...command, name]));
  return [`$ ${['burgee', ...command, '--help'].join(' ')}\n${help}`, ...rest].join('\n');
}

t.test('the help texts are the reviewed ones', async (t) => {
  const help = await helpOf([]);
  if (process.env['WRITE_HELP'] === '1') writeFileSync(file, help);
  t.equal(help, readFileSync(file, 'utf8'));
  for (const command of ['backup', 'restore', 'export', 'stat', 'check', 'organisation set-plan']) {
    t.match(help, `$ burgee ${command} --help\n`);
  }
});
