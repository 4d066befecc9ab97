import type { Static } from 'typebox';
import type { SettingName, settings } from './settings.ts';

type Frozen<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** The effective settings, checked. Described one by one in `settings.ts`. */
export type Config = {
  readonly [Name in SettingName]: Frozen<Static<(typeof settings)[Name]['schema']>>;
};
