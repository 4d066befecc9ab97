import type { Command } from 'commander';
import type { Action } from './command-action.ts';
import { CommandFailure, exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee token revoke 7Hq2mZ0cXw4Rk9TnB1Ld
  burgee token revoke 7Hq2mZ0cXw4Rk9TnB1Ld --data-dir /var/lib/burgee/data --json
`;

export function defineRevoke(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('revoke').argument('<id>', 'id of the token, never its secret');
  command.description('Revoke a token: it stops working at once, for good.');
  addSettingOptions(command, ['dataDir', 'mapBytes']).addHelpText('before', examples);
  const run: Action['run'] = async (options, [tokenId = '']) => {
    const config = configFrom(options);
    const { withOperator } = await import('./operator-session.ts');
    const outcome = await withOperator(config, { mayCreate: false }, (operator) =>
      operator('revoke-token', { tokenId }),
    );
    if (!outcome.ok) throw new CommandFailure(outcome.problem.detail);
    const { changed, id, name, projectId, revokedAt } = outcome.value;
    const at = new Date(revokedAt).toISOString();
    if (options['json'] === true) await printJson({ changed, token: { id, name, projectId, revokedAt } });
    else
      await printResult(`Token ${name} (${id}) ${changed ? 'is revoked' : 'was revoked already'}: ${at}\n`);
    return exitCodes.done;
  };
  return { command, action: { run } };
}
