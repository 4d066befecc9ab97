import { readFileSync } from 'node:fs';
import { didYouMean } from '../support/closest-name.ts';
import { messageOf } from '../support/message-of.ts';
import { flagName, type Setting, type SettingSource, variableName } from './setting.ts';
import { settingNames } from './settings.ts';

/** Values by setting name. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The only place where Burgee reads its environment. */
export function processEnvironment(): EnvironmentVariables {
  return process.env;
}

/** The sources of settings. */
export interface SettingPlaces {
  readonly flags: ReadonlyMap<string, string>;
  readonly environment: EnvironmentVariables;
  readonly file: ConfigFile;
  /** Path of the file, for messages. */
  readonly filePath: string;
}

/** A value that one source gives for a name. */
export interface GivenSetting {
  readonly source: SettingSource;
  /** How messages name it: `--port`, `BURGEE_PORT`, `"port" in burgee.json`. */
  readonly label: string;
  /** The value as it was given, for messages. */
  readonly raw: unknown;
  readonly hint: string | null;
  /** Reads the value for this setting; an unreadable value comes back as it is, and the schema refuses it. */
  valueFor(setting: Setting): unknown;
}

/** @returns the value of the strongest source that gives one: flag, environment, file. */
export function findGiven(name: string, places: SettingPlaces): GivenSetting | null {
  const { flags, environment, file, filePath } = places;
  const flag = flags.get(name);
  if (flag !== undefined) return textual('flag', flagName(name), flag);
  const variable = present(environment[variableName(name)]);
  if (variable !== undefined) return textual('environment', variableName(name), variable);
  if (!file.values.has(name)) return null;
  const raw = file.values.get(name);
  const valueFor = (setting: Setting): unknown => setting.fromJson(raw);
  return { source: 'file', label: `"${name}" in ${filePath}`, raw, hint: null, valueFor };
}

/** @returns the text of a variable. An empty one counts as absent. */
export function present(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function textual(source: SettingSource, label: string, text: string): GivenSetting {
  return {
    source,
    label,
    raw: text,
    hint: serviceLinkHint(text),
    valueFor: (setting) => setting.fromText(text),
  };
}

/* Kubernetes gives every container variables for the services of its namespace. A service called `burgee` yields
   BURGEE_SERVICE_HOST, BURGEE_PORT=tcp://…, BURGEE_PORT_8080_TCP_ADDR and so on, which are not meant as settings. */
const hostAndPort = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$/;
const portParts = /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const linkValue = /^(tcp|udp|sctp):\/\//;

/** @returns whether an unknown variable comes from Kubernetes' service links. */
export function isServiceLink(name: string, value: string): boolean {
  return hostAndPort.test(name) || portParts.test(name) || (name.endsWith('_PORT') && linkValue.test(value));
}

/** @returns a hint for a setting whose value is a service link (BURGEE_PORT=tcp://10.0.0.1:8080), or null. */
function serviceLinkHint(value: string): string | null {
  if (!linkValue.test(value)) return null;
  return 'this is a Kubernetes service link: set enableServiceLinks: false in the pod, or rename the service';
}

/** The settings that a file gives, and the file's problems. */
export interface ConfigFile {
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly string[];
}

const nothing: ReadonlyMap<string, unknown> = new Map();

/** Reads a JSON file of settings, named as in `Config`. Never throws: problems are returned. */
export function readConfigFile(path: string): ConfigFile {
  try {
    return checkKeys(path, JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')));
  } catch (error) {
    const reason = messageOf(error);
    const kind = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    return { values: nothing, problems: [`The configuration file ${path} ${kind}: ${reason}`] };
  }
}

function checkKeys(path: string, content: unknown): ConfigFile {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    return { values: nothing, problems: [`The configuration file ${path} must hold one JSON object`] };
  }
  const entries = Object.entries(content);
  const known: readonly string[] = settingNames;
  const unknown = entries.filter(([key]) => !known.includes(key));
  return {
    values: new Map(entries.filter(([key]) => known.includes(key))),
    problems: unknown.map(([key]) => `Unknown setting "${key}" in ${path}${didYouMean(key, known)}`),
  };
}
