import type { Static } from 'typebox';
import type { SettingName, settings } from './settings.ts';

type Frozen<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** The effective settings, checked. `settings.ts` describes each of them. */
export type Config = {
  readonly [Name in SettingName]: Frozen<Static<(typeof settings)[Name]['schema']>>;
};
