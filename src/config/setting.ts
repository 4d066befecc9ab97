import type { Static, TSchema } from 'typebox';

/** Where the effective value of a setting came from, strongest first. */
const settingSources = ['flag', 'environment', 'file', 'default'] as const;
export type SettingSource = (typeof settingSources)[number];

/** The settings that a default may be made of; they stand before it in `settings`. */
export interface DefaultBasis {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly workers: number;
}

/** A default that depends on the machine or on other settings; `text` is how the documentation says it. */
interface DerivedDefault<Value> {
  readonly text: string;
  derive(basis: DefaultBasis): Value;
}

/** Everything there is to say about one setting; its names are derived from its key: see below. */
export interface Setting<Schema extends TSchema = TSchema> {
  readonly schema: Schema;
  readonly description: string;
  /** Completes «must be …». */
  readonly expected: string;
  /** What stands for the value in a help text. */
  readonly placeholder: string;
  /** Hidden wherever settings are shown. */
  readonly isSecret: boolean;
  readonly fallback: { readonly value: Static<Schema> } | DerivedDefault<Static<Schema>>;
  /** A value given as text (flag, environment); anything that the schema refuses when it cannot be read. */
  fromText(text: string): unknown;
  /** A value given in the file. */
  fromJson(value: unknown): unknown;
  /** How an effective value is written, so that it could be given again as text. */
  toText(value: unknown): string;
}

/** Prefix of every environment variable that Burgee reads. */
export const environmentPrefix = 'BURGEE_';

/** The environment variable and the flag that name the configuration file; they are no settings themselves. */
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
