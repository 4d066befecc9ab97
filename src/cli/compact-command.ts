import type { Command } from 'commander';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';
import { ProgressLine } from './progress-line.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';

const examples = `Examples:
  burgee compact --data-dir /var/lib/burgee/data
`;

export function defineCompact(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('compact');
  command.description(
    'Remove the free pages of the data file, so that it takes less disk. The server must be stopped. ' +
      'Prints the sizes before and after as JSON.',
  );
  addSettingOptions(command, ['dataDir']).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const { dataDir } = configFrom(options);
    const { compactStore } = await import('./compact-store.ts');
    const compacted = await compactStore(dataDir, new ProgressLine(process.stderr));
    const [before, after] = [compacted.bytesBefore, compacted.bytesAfter].map((bytes) => mebibytes(bytes));
    printNote(`Compacted ${dataDir} from ${before} to ${after}, verified.`);
    await printJson({ dataDir, ...compacted });
    return exitCodes.done;
  };
  return { command, action: { run } };
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
