import type { Command } from 'commander';
import type { Setting } from '../config/setting.ts';
import { settingNames, settings } from '../config/settings.ts';
import type { Action } from './command-action.ts';
import { exitCodes } from './command-failure.ts';
import { printJson, printResult } from './command-output.ts';
import { addSettingOptions, loadSettings } from './setting-options.ts';

const examples = `Examples:
  burgee config
  burgee config --config burgee.json --json
  BURGEE_PORT=9000 burgee config
`;

/** Shown in place of a secret. */
const hidden = '(hidden)';

export function defineConfig(parent: Command): { readonly command: Command; readonly action: Action } {
  const command = parent.command('config');
  command.description('Print the settings in effect and where each comes from. Secrets are hidden.');
  addSettingOptions(command).addHelpText('before', examples);
  const run: Action['run'] = async (options) => {
    const { config, sources } = loadSettings(options);
    const rows = settingNames.map((name) => {
      const value = shownValue(settings[name], config[name]);
      return { name, value, source: sources.get(name) ?? 'default' };
    });
    if (options['json'] === true) {
      await printJson(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])));
    } else {
      const lines = rows.map(
        ({ name, value, source }) => `${name} = ${asText(settings[name], value)} (${source})\n`,
      );
      await printResult(lines.join(''));
    }
    return exitCodes.done;
  };
  return { command, action: { run } };
}

/** @returns the value, or a placeholder for a secret. That a secret is not set may be shown. */
export function shownValue(setting: Pick<Setting, 'isSecret'>, value: unknown): unknown {
  return setting.isSecret && value !== null ? hidden : value;
}

function asText(setting: Setting, value: unknown): string {
  return value === hidden ? hidden : setting.toText(value);
}
