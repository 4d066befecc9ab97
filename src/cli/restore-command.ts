import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';
import { ProgressLine } from './progress-line.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee restore /backups/burgee-monday --data-dir ./data
  burgee restore /backups/burgee-monday --data-dir /var/lib/burgee/data --force
`;

export function defineRestore(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('restore').argument('<dir>', 'directory of the backup');
  command.description(
    'Verify a backup and make a data directory from it. The server must be stopped. ' +
      'Prints what was restored as JSON.',
  );
  command.option('--force', 'move an existing store aside, to a name with the time');
  addSettingOptions(command, ['dataDir']).addHelpText('before', examples);
  const run: Action['run'] = async (options, [source = '']) => {
    const { dataDir } = configFrom(options);
    const { restoreBackup } = await import('./restore-backup.ts');
    const progress = new ProgressLine(process.stderr);
    const restored = await restoreBackup(source, dataDir, options['force'] === true, progress);
    const { movedAside, takenAt } = restored;
    if (movedAside !== null) printNote(`The old data directory is kept as ${movedAside}.`);
    printNote(`Restored ${dataDir} as it was on ${new Date(takenAt).toISOString()}, verified.`);
    await printJson({ dataDir, backup: resolve(source), ...restored });
    return exitCodes.done;
  };
  return { command, action: { run } };
}
