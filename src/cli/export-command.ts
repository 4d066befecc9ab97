import { resolve } from 'node:path';
import type { Command } from 'commander';
import { fileBytesMax } from '../operator/apply-file.ts';
import type { Action, CommandOptions } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printNote } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';
import { addTimeLimitOption, timeLimitFrom } from './time-limit-option.ts';

const examples = `Examples:
  burgee export --data-dir ./data > flags.json
  burgee export --data-dir ./data --output flags.json
  burgee export --data-dir ./data --project shop > shop.json
`;

export function defineExport(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('export');
  command
    .description(
      'Write the store, from one snapshot and without secrets, as JSON that apply reads. Works while a server runs. ' +
        'Applied to the same store, it changes nothing.',
    )
    .option('--output <file>', 'write to this file instead of standard output')
    .option('--organisation <organisation>', 'only this organisation: name or id')
    .option('--project <project>', 'only this project: name, slug or id')
    .option(
      '--skip-ambiguous',
      'leave out things that share a name, and flags that do not answer to theirs, instead of failing',
    );
  addTimeLimitOption(addSettingOptions(command, ['dataDir'])).addHelpText('before', examples);
  return { command, action: { run: runExport } };
}

async function runExport(options: CommandOptions): Promise<number> {
  const { dataDir } = configFrom(options);
  const { exportStore } = await import('./export/export-store.ts');
  const output = textOption(options, 'output');
  const exported = await exportStore(dataDir, {
    ...{ output, timeLimitMs: timeLimitFrom(options), isSkipping: options['skipAmbiguous'] === true },
    filter: { organisation: textOption(options, 'organisation'), project: textOption(options, 'project') },
  });
  const { bytes, flags, leftOut, leftOutCount } = exported;
  for (const what of leftOut) printNote(`burgee: warning: left out: ${what}`);
  if (bytes > fileBytesMax) {
    printNote(
      'burgee: warning: the file is larger than apply accepts; export one project at a time with --project',
    );
  }
  printNote(`Exported ${flags} flags of ${dataDir}.`);
  const isJson = output !== null && options['json'] === true;
  if (isJson) await printJson({ output: resolve(output), bytes, flags, leftOut: leftOutCount });
  return exitCodes.done;
}

function textOption(options: CommandOptions, name: string): string | null {
  const value = options[name];
  return typeof value === 'string' ? value : null;
}
