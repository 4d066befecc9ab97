import type { Command } from 'commander';
import { packageVersion } from '../support/package-root.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';

/** What `burgee version` and `burgee --version` print. */
export function versionText(): string {
  return `burgee ${packageVersion()} (Node ${process.version})`;
}

const examples = `Examples:
  burgee version
  burgee version --json
`;

export function defineVersion(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('version').description('Print the version.');
  command.addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    if (options['json'] === true) await printJson({ version: packageVersion(), node: process.version });
    else await printResult(`${versionText()}\n`);
    return exitCodes.done;
  };
  return { command, action: { run } };
}
