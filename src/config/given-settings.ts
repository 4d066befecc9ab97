import type { ConfigFile } from './config-file.ts';
import type { LabelOf } from './former-settings.ts';
import type { Environment } from './process-environment.ts';
import { serviceLinkHint } from './service-links.ts';
import type { Setting, SettingSource } from './setting.ts';
import { environmentName, flagName } from './setting-names.ts';

/** The places where settings can be given. */
export interface SettingPlaces {
  readonly flags: ReadonlyMap<string, string>;
  readonly environment: Environment;
  readonly file: ConfigFile;
  /** Of the file, for messages. */
  readonly filePath: string;
}

/** What one place holds under a name. */
export interface GivenSetting {
  readonly source: SettingSource;
  /** How the person who gave it knows it: `--port`, `BURGEE_PORT`, `"port" in burgee.json`. */
  readonly label: string;
  /** Says the same of another name in this place. */
  readonly labelOf: LabelOf;
  /** As it was given, for messages. */
  readonly raw: unknown;
  readonly hint: string | null;
  /** Reads the value; the schema refuses what comes back when it cannot be read. */
  valueFor(setting: Setting): unknown;
}

/** @returns what is given under a name, strongest first: flag, environment, file. */
export function givenUnder(name: string, places: SettingPlaces): readonly GivenSetting[] {
  const given: GivenSetting[] = [];
  const { flags, environment, file, filePath } = places;
  const flag = flags.get(name);
  if (flag !== undefined) given.push(textual(name, 'flag', flagName, flag));
  const variable = present(environment[environmentName(name)]);
  if (variable !== undefined) given.push(textual(name, 'environment', environmentName, variable));
  if (file.values.has(name)) {
    const raw = file.values.get(name);
    const labelOf: LabelOf = (key) => `"${key}" in ${filePath}`;
    const valueFor = (setting: Setting): unknown => setting.fromJson(raw);
    given.push({ source: 'file', label: labelOf(name), labelOf, raw, hint: null, valueFor });
  }
  return given;
}

/** @returns the text of a variable. An empty one counts as absent. */
export function present(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function textual(name: string, source: SettingSource, labelOf: LabelOf, text: string): GivenSetting {
  return {
    source,
    label: labelOf(name),
    labelOf,
    raw: text,
    hint: serviceLinkHint(text),
    valueFor: (setting) => setting.fromText(text),
  };
}
