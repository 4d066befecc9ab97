import { Check } from 'typebox/schema';
import { didYouMean } from '../support/closest-name.ts';
import { messageOf } from '../support/message-of.ts';
import { clusterSettings } from './cluster-settings.ts';
import { parseClusterUrl } from './cluster-url.ts';
import type { Config } from './config.ts';
import { flagdSettings } from './flagd-settings.ts';
import {
  type ConfigFile,
  type EnvironmentVariables,
  findGiven,
  type GivenSetting,
  isServiceLink,
  present,
  readConfigFile,
  type SettingPlaces,
} from './given-settings.ts';
import {
  configFileFlag,
  configFileVariable,
  type DefaultBasis,
  environmentPrefix,
  flagName,
  type Setting,
  type SettingSource,
  variableName,
} from './setting.ts';
import { type SettingName, settingNames, settings } from './settings.ts';

export interface ConfigInput {
  /** Values of command-line flags by setting name; `configFile` is that of `--config`. */
  readonly flags: ReadonlyMap<string, string>;
  readonly configFile: string | undefined;
  readonly environment: EnvironmentVariables;
}

export type LoadedConfig =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly sources: ReadonlyMap<SettingName, SettingSource>;
    }
  /** All problems, each saying what to do. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Precedence: flag, environment, file, default. An empty variable counts as absent. */
export function loadConfig(input: ConfigInput): LoadedConfig {
  const filePath = input.configFile ?? present(input.environment[configFileVariable]) ?? null;
  const file: ConfigFile = filePath === null ? { values: new Map(), problems: [] } : readConfigFile(filePath);
  const { flags, environment } = input;
  const places: SettingPlaces = { flags, environment, file, filePath: filePath ?? '' };
  const problems = [...unknownVariables(environment), ...file.problems];
  const values = new Map<SettingName, unknown>();
  const sources = new Map<SettingName, SettingSource>();
  for (const name of settingNames) {
    const setting: Setting = settings[name];
    const given = findGiven(name, places);
    const value = given === null ? defaultOf(setting, values) : given.valueFor(setting);
    if (given !== null && !Check(setting.schema, value)) problems.push(refusal(setting, given));
    sources.set(name, given?.source ?? 'default');
    values.set(name, value);
  }
  problems.push(...settingConflicts(values, sources));
  if (problems.length > 0) return { ok: false, problems };
  // Every value has passed its schema, from which `Config` derives.
  return { ok: true, config: Object.fromEntries(values) as unknown as Config, sources };
}

function defaultOf(setting: Setting, values: ReadonlyMap<SettingName, unknown>): unknown {
  if ('value' in setting.fallback) return setting.fallback.value;
  return setting.fallback.derive({
    host: String(values.get('host')),
    port: Number(values.get('port')),
    baseUrl: String(values.get('baseUrl')),
    workers: Number(values.get('workers')),
  } satisfies DefaultBasis);
}

const shownCharsMax = 100;

function refusal(setting: Setting, given: GivenSetting): string {
  const shown = setting.isSecret
    ? 'a secret value, not shown'
    : JSON.stringify(given.raw).slice(0, shownCharsMax);
  const hint = given.hint === null ? '' : `; ${given.hint}`;
  return `${given.label} must be ${setting.expected}, but it is ${shown}${hint}`;
}

function unknownVariables(environment: EnvironmentVariables): string[] {
  const known = [configFileVariable, ...settingNames.map(variableName)];
  const names = Object.keys(environment).filter((name) => name.startsWith(environmentPrefix));
  const unknown = names.filter(
    (name) => !known.includes(name) && !isServiceLink(name, environment[name] ?? ''),
  );
  return unknown.map((name) => {
    const meant = didYouMean(name, known);
    return `Unknown environment variable ${name}${meant === '' ? `; unset it, or use ${configFileFlag}` : meant}`;
  });
}

/** The listeners other than the public one. In a conflict the later one has to change. */
const otherPorts = { adminPort: 'admin port', flagdSyncPort: 'port of flagd sync' } as const;

/** Two listeners with one port, even on different addresses, are a mistake that would be found late. */
function* portConflicts(values: ReadonlyMap<SettingName, unknown>): Generator<string> {
  const taken = new Map<unknown, string>([[values.get('port'), 'public port']]);
  for (const [name, title] of Object.entries(otherPorts) as [keyof typeof otherPorts, string][]) {
    const port = values.get(name);
    if (port === null || port === 0) continue;
    const other = taken.get(port);
    if (other === undefined) taken.set(port, title);
    else
      yield `The ${title} must differ from the ${other}, even on another address: choose another one with ${named(name)}.`;
  }
}

/** @returns the conflicts between settings that are valid one by one, each saying what to do. */
function settingConflicts(
  values: ReadonlyMap<SettingName, unknown>,
  sources: ReadonlyMap<SettingName, SettingSource>,
): readonly string[] {
  return [
    ...portConflicts(values),
    ...openIdConflicts(values, sources),
    ...flagdConflicts(values, sources),
    ...clusterConflicts(values, sources),
  ];
}

/**
 * Without an issuer there is no sign-in with OpenID. With one, the provider needs the client's id and the address to
 * send people back to.
 */
function* openIdConflicts(
  values: ReadonlyMap<SettingName, unknown>,
  sources: ReadonlyMap<SettingName, SettingSource>,
): Generator<string> {
  const isGiven = (name: SettingName): boolean => typeof values.get(name) === 'string';
  if (!isGiven('openIdIssuer')) {
    if (values.get('openIdIssuer') !== null) return;
    for (const name of ['openIdClientId', 'openIdClientSecret'] as const) {
      if (isGiven(name))
        yield `${named(name)} has no effect without an issuer: set ${named('openIdIssuer')} too`;
    }
    return;
  }
  if (values.get('openIdClientId') === null) {
    yield `${named('openIdIssuer')} needs ${named('openIdClientId')}: the id that the provider gave this service when it was registered there`;
  }
  if (sources.get('baseUrl') === 'default') {
    yield `${named('openIdIssuer')} needs ${named('baseUrl')}: the provider sends people back to <base-url>/console/api/openid/callback`;
  }
}

function* flagdConflicts(
  values: ReadonlyMap<SettingName, unknown>,
  sources: ReadonlyMap<SettingName, SettingSource>,
): Generator<string> {
  if (values.get('flagdSyncPort') === null)
    yield* withoutEffect(flagdSettings, 'flagdSyncPort', values, sources);
  else if ((values.get('flagdSyncCertFile') === null) !== (values.get('flagdSyncKeyFile') === null)) {
    yield `${named('flagdSyncCertFile')} and ${named('flagdSyncKeyFile')} belong together: give both, or neither for connections without TLS`;
  }
}

/** Settings that were given, and do nothing while another one is off. */
function* withoutEffect(
  group: Readonly<Record<string, Setting>>,
  first: SettingName,
  values: ReadonlyMap<SettingName, unknown>,
  sources: ReadonlyMap<SettingName, SettingSource>,
): Generator<string> {
  for (const name of Object.keys(group) as SettingName[]) {
    if (sources.get(name) !== 'default' && values.get(name) !== null)
      yield `${named(name)} does nothing without ${named(first)}: set that too`;
  }
}

/** A node that finds no database must not serve alone: what it would store is not part of the cluster's history. */
function* clusterConflicts(
  values: ReadonlyMap<SettingName, unknown>,
  sources: ReadonlyMap<SettingName, SettingSource>,
): Generator<string> {
  const url = values.get('clusterUrl');
  if (url === null) {
    for (const name of Object.keys(clusterSettings) as (keyof typeof clusterSettings)[]) {
      if (sources.get(name) !== 'default' && values.get(name) !== null)
        yield `${named(name)} does nothing without a cluster: set ${named('clusterUrl')} too`;
    }
  } else if (Check(clusterSettings.clusterUrl.schema, url)) {
    const passwordFile = values.get('clusterPasswordFile');
    try {
      parseClusterUrl(String(url), typeof passwordFile === 'string' ? passwordFile : null);
    } catch (fault) {
      yield messageOf(fault);
    }
  }
}

function named(name: SettingName): string {
  return `${flagName(name)} (${variableName(name)})`;
}
