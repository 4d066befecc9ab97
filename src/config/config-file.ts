import { readFileSync } from 'node:fs';
import { didYouMean } from '../support/closest-name.ts';
import { formerSettings } from './former-settings.ts';
import { settingNames } from './settings.ts';

/** The settings that a file gives, by present or earlier name, and what is wrong with it. */
export interface ConfigFile {
  readonly values: ReadonlyMap<string, unknown>;
  readonly problems: readonly string[];
}

const nothing: ReadonlyMap<string, unknown> = new Map();

/** Reads a JSON file of settings, named as in `Config`. Never throws: what is wrong comes back as problems. */
export function readConfigFile(path: string): ConfigFile {
  try {
    return checkKeys(path, JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, '')));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
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
  const accepted = new Set([...known, ...formerSettings.map(({ name }) => name)]);
  const unknown = entries.filter(([key]) => !accepted.has(key));
  return {
    values: new Map(entries.filter(([key]) => accepted.has(key))),
    problems: unknown.map(([key]) => `Unknown setting "${key}" in ${path}${didYouMean(key, known)}`),
  };
}
