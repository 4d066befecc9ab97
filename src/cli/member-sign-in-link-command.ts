import type { Command } from 'commander';
import type { Action } from './command-action.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { printJson, printNote, printResult } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee member sign-in-link owner@example.com
  burgee member sign-in-link owner@example.com --organisation Acme --json
`;

export function defineSignInLink(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('sign-in-link').argument('<email>', 'email of the member');
  command.description('Print a link that signs a member in to the console, once, within 24 hours.');
  command.option('--organisation <name>', 'name or id, if members of several organisations have this email');
  addSettingOptions(command, ['dataDir', 'mapBytes', 'baseUrl']).addHelpText('before', examples);
  const run: Action['run'] = async (options, [email = '']) => {
    const config = configFrom(options);
    const { organisation } = options;
    const { withOperator } = await import('./operator-session.ts');
    const outcome = await withOperator(config, { mayCreate: false }, (operator) =>
      operator('make-sign-in-link', {
        email,
        organisation: typeof organisation === 'string' ? organisation : null,
      }),
    );
    if (!outcome.ok) throw new CommandFailure(outcome.problem.detail);
    const { url, expiresAt, member } = outcome.value;
    if (options['json'] === true) await printJson({ url, expiresAt, member });
    else {
      printNote(`Signs ${member.name} in, once, until ${new Date(expiresAt).toISOString()}:`);
      await printResult(`${url}\n`);
    }
    return exitCodes.done;
  };
  return { command, action: { run } };
}
