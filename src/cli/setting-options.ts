import { type Command, Option } from 'commander';
import type { Config } from '../config/config.ts';
import { defaultText } from '../config/configuration-page.ts';
import { processEnvironment } from '../config/given-settings.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import {
  configFileFlag,
  configFileVariable,
  flagName,
  type Setting,
  variableName,
} from '../config/setting.ts';
import { type SettingName, settingNames, settings } from '../config/settings.ts';
import type { CommandOptions } from './command-action.ts';
import { CommandFailure } from './command-failure.ts';

/** Adds a flag for each of these settings, and `--config`. Flags have no defaults: a weaker source may have a value. */
export function addSettingOptions(command: Command, names: readonly SettingName[] = settingNames): Command {
  for (const name of names) {
    const setting: Setting = settings[name];
    const text = `${setting.description} (${variableName(name)}, default ${defaultText(setting)})`;
    command.addOption(new Option(`${flagName(name)} <${setting.placeholder}>`, text.replaceAll('`', '')));
  }
  return command.option(`${configFileFlag} <file>`, `JSON file of settings (${configFileVariable})`);
}

/** Every setting with its source: flag, environment, file or default. */
export function loadSettings(options: CommandOptions): LoadedConfig & { readonly ok: true } {
  const flags = new Map<string, string>();
  for (const name of settingNames) {
    const value = options[name];
    if (typeof value === 'string') flags.set(name, value);
  }
  const configFile = typeof options['config'] === 'string' ? options['config'] : undefined;
  const loaded = loadConfig({ flags, configFile, environment: processEnvironment() });
  if (loaded.ok) return loaded;
  const count = loaded.problems.length;
  throw new CommandFailure(
    `${count === 1 ? 'A setting is' : `${count} settings are`} wrong:`,
    loaded.problems,
  );
}

/** @throws {CommandFailure} that names every wrong setting. */
export function configFrom(options: CommandOptions): Config {
  return loadSettings(options).config;
}
