import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';
import { ProgressLine } from './progress-line.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';
import { addTimeLimitOption, timeLimitFrom } from './time-limit-option.ts';

const examples = `Examples:
  burgee backup /backups/burgee-monday --data-dir ./data
  burgee backup "/backups/burgee-$(date +%F)" --data-dir /var/lib/burgee/data
`;

export function defineBackup(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('backup').argument('<dir>', 'a new directory, or an empty one');
  command.description(
    'Copy the whole store from one snapshot to a new directory, and verify the copy. Works while a server runs. ' +
      'Prints a description of the backup as JSON.',
  );
  addTimeLimitOption(addSettingOptions(command, ['dataDir'])).addHelpText('before', examples);
  const run: Action['run'] = async (options, [target = '']) => {
    const { dataDir } = configFrom(options);
    const { takeBackup } = await import('./take-backup.ts');
    const progress = new ProgressLine(process.stderr);
    const taken = await takeBackup(dataDir, target, timeLimitFrom(options), progress);
    const entries = Object.values(taken.counts).reduce((sum, count) => sum + count, 0);
    printNote(`Backed up ${dataDir} to ${resolve(target)}: ${entries} entries, verified.`);
    await printJson({ backup: resolve(target), ...taken });
    return exitCodes.done;
  };
  return { command, action: { run } };
}
