import type { Command } from 'commander';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';
import { addSettingOptions, configFrom } from './setting-options.ts';
import { type CheckReport, walkStore } from './walk-store.ts';

const examples = `Examples:
  burgee check --data-dir ./data
  burgee check --data-dir ./data --json
`;

export function defineCheck(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('check');
  command.description(
    'Read every record of the store and report what is damaged. ' +
      'Works while a server runs. Exits 0 when nothing is damaged, 3 when something is, 1 when it could not be checked.',
  );
  addSettingOptions(command, ['dataDir']).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const { dataDir } = configFrom(options);
    const report = await walkStore(dataDir);
    if (options['json'] === true) await printJson(report);
    else await printResult(describe(dataDir, report));
    return report.isClean ? exitCodes.done : exitCodes.damaged;
  };
  return { command, action: { run } };
}

function describe(directory: string, { findings, findingCount, counts }: CheckReport): string {
  const walked =
    counts === null ? '' : ` ${Object.values(counts).reduce((sum, count) => sum + count, 0)} entries.`;
  if (findingCount === 0) return `${directory} is clean:${walked}\n`;
  const more = findingCount > findings.length ? [`and ${findingCount - findings.length} more`] : [];
  const lines = [...findings, ...more].map((finding) => `  - ${finding}\n`);
  return `${directory} is damaged: ${findingCount} ${findingCount === 1 ? 'finding' : 'findings'}.\n${lines.join('')}Restore it from a backup.\n`;
}
