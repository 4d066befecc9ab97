import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { newTokenSecret } from '../domain/token/token-secret.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  (umask 077; burgee token secret > ci.secret)
`;

export function defineSecret(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('secret');
  command.description(
    'Print a new secret. It is that of a token once a file of apply has named it by secretFile or secretVariable.',
  );
  addSettingOptions(command, ['tokenPrefix']).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const secret = newTokenSecret(configFrom(options).tokenPrefix, randomBytes(32));
    if (options['json'] === true) await printJson({ secret });
    else await printResult(`${secret}\n`);
    return exitCodes.done;
  };
  return { command, action: { run } };
}
