import type { Static, TSchema } from 'typebox';

/** The source of a setting's effective value, strongest first. */
const settingSources = ['flag', 'environment', 'file', 'default'] as const;
export type SettingSource = (typeof settingSources)[number];

/** The settings that a derived default may use; they stand before it in `settings`. */
export interface DefaultBasis {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly workers: number;
}

/** A default that depends on the machine or on other settings; `text` describes it in the documentation. */
interface DerivedDefault<Value> {
  readonly text: string;
  derive(basis: DefaultBasis): Value;
}

/** The definition of one setting. Its names are derived from its key: see below. */
export interface Setting<Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  readonly description: string;
  /** Completes "must be …". */
  readonly expected: string;
  /** The placeholder for the value in a help text. */
  readonly placeholder: string;
  /** Hidden in every output of settings. */
  readonly isSecret: boolean;
  readonly fallback: { readonly value: Static<Schema> } | DerivedDefault<Static<Schema>>;
  /** Reads a value given as text (flag, environment). An unreadable text returns something that the schema refuses. */
  fromText(text: string): unknown;
  /** Reads a value given in the file. */
  fromJson(value: unknown): unknown;
  /** Writes an effective value so that it could be given again as text. */
  toText(value: unknown): string;
}

/** Prefix of every environment variable that Burgee reads. */
export const environmentPrefix = 'BURGEE_';

/** The environment variable and the flag that name the configuration file. They are not settings themselves. */
export const configFileVariable = `${environmentPrefix}CONFIG`;
export const configFileFlag = '--config';

/** @returns `BURGEE_DATA_DIR` for `dataDir`. */
export function variableName(settingName: string): string {
  return environmentPrefix + settingName.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** @returns `--data-dir` for `dataDir`. */
export function flagName(settingName: string): string {
  return `--${settingName.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
