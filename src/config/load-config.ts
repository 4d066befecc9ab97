import { Value } from 'typebox/value';
import { didYouMean } from '../support/closest-name.ts';
import type { Config } from './config.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import type { Environment } from './process-environment.ts';
import { isServiceLink, serviceLinkHint } from './service-links.ts';
import type { DefaultBasis, Setting, SettingSource } from './setting.ts';
import { settingConflicts } from './setting-conflicts.ts';
import {
  configFileFlag,
  configFileVariable,
  environmentName,
  environmentPrefix,
  flagName,
} from './setting-names.ts';
import { type SettingName, settingNames, settings } from './settings.ts';

export interface ConfigInput {
  /** Values of command-line flags by setting name; `configFile` is that of `--config`. */
  readonly flags: ReadonlyMap<string, string>;
  readonly configFile: string | undefined;
  readonly environment: Environment;
}

export type LoadedConfig =
  | { readonly ok: true; readonly config: Config; readonly sources: ReadonlyMap<SettingName, SettingSource> }
  /** All of them, each with what to do. */
  | { readonly ok: false; readonly problems: readonly string[] };

interface Given {
  readonly source: SettingSource;
  /** How the person who gave it knows it: `--port`, `BURGEE_PORT`, `"port" in burgee.json`. */
  readonly label: string;
  /** As it was given, for messages. */
  readonly raw: unknown;
  readonly value: unknown;
  readonly hint: string | null;
}

/** Precedence: flag, environment, file, default. An empty variable counts as absent. */
export function loadConfig(input: ConfigInput): LoadedConfig {
  const path = input.configFile ?? present(input.environment[configFileVariable]);
  const file: ConfigFile = path === undefined ? { values: new Map(), problems: [] } : readConfigFile(path);
  const problems = [...unknownVariables(input.environment), ...file.problems];
  const values = new Map<SettingName, unknown>();
  const sources = new Map<SettingName, SettingSource>();
  for (const name of settingNames) {
    const setting: Setting = settings[name];
    const given = findGiven(name, setting, input, file, path ?? '');
    sources.set(name, given?.source ?? 'default');
    if (given !== null && !Value.Check(setting.schema, given.value)) problems.push(refusal(setting, given));
    values.set(name, given === null ? defaultOf(setting, values) : given.value);
  }
  problems.push(...settingConflicts(values, sources));
  if (problems.length > 0) return { ok: false, problems };
  // Every value passed its schema, from which `Config` derives.
  return { ok: true, config: Object.fromEntries(values) as unknown as Config, sources };
}

function findGiven(
  name: SettingName,
  setting: Setting,
  input: ConfigInput,
  file: ConfigFile,
  path: string,
): Given | null {
  const flag = input.flags.get(name);
  if (flag !== undefined) return textual('flag', flagName(name), setting, flag);
  const variable = present(input.environment[environmentName(name)]);
  if (variable !== undefined) return textual('environment', environmentName(name), setting, variable);
  if (!file.values.has(name)) return null;
  const raw = file.values.get(name);
  return { source: 'file', label: `"${name}" in ${path}`, raw, value: setting.fromJson(raw), hint: null };
}

function textual(source: SettingSource, label: string, setting: Setting, text: string): Given {
  return { source, label, raw: text, value: setting.fromText(text), hint: serviceLinkHint(text) };
}

function present(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function defaultOf(setting: Setting, values: ReadonlyMap<SettingName, unknown>): unknown {
  if ('value' in setting.fallback) return setting.fallback.value;
  const basis = { host: values.get('host'), port: values.get('port'), baseUrl: values.get('baseUrl') };
  return setting.fallback.derive({
    host: String(basis.host),
    port: Number(basis.port),
    baseUrl: String(basis.baseUrl),
  } satisfies DefaultBasis);
}

const shownCharsMax = 100;

function refusal(setting: Setting, given: Given): string {
  const shown = setting.isSecret
    ? 'a value that is not shown'
    : JSON.stringify(given.raw).slice(0, shownCharsMax);
  const hint = given.hint === null ? '' : `; ${given.hint}`;
  return `${given.label} must be ${setting.expected}, but it is ${shown}${hint}`;
}

function unknownVariables(environment: Environment): string[] {
  const known = [configFileVariable, ...settingNames.map(environmentName)];
  const names = Object.keys(environment).filter((name) => name.startsWith(environmentPrefix));
  const unknown = names.filter(
    (name) => !known.includes(name) && !isServiceLink(name, environment[name] ?? ''),
  );
  return unknown.map((name) => {
    const meant = didYouMean(name, known);
    return `Unknown environment variable ${name}${meant === '' ? `; unset it, or use ${configFileFlag}` : meant}`;
  });
}
