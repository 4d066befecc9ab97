import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { packageRoot } from '../support/package-root.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';

const examples = `Examples:
  burgee version
  burgee version --json
`;

export function defineVersion(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('version').description('Print the version.');
  command.addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
    if (options['json'] === true) await printJson({ version, node: process.version });
    else await printResult(`burgee ${version} (Node ${process.version})\n`);
    return exitCodes.done;
  };
  return { command, action: { run } };
}
