import { flagName, variableName } from './setting.ts';
import type { SettingName } from './settings.ts';

/**
 * A setting's name in an earlier version. It is accepted in flags, environment and file, and appears in no help text.
 */
export interface FormerSetting {
  readonly name: string;
  /** The present name; null when the setting is ignored. */
  readonly renamedTo: SettingName | null;
  readonly reason: string;
}

/** Settings that were renamed, or that are ignored because what they controlled is gone. */
export const formerSettings: readonly FormerSetting[] = [
  {
    name: 'evaluatorThreads',
    renamedTo: 'workers',
    reason: 'the threads that evaluate flags are the workers',
  },
  {
    name: 'batchSize',
    renamedTo: null,
    reason: 'a worker answers each request as it arrives, not in batches',
  },
];

/** @returns the earlier names of a setting. */
export function formerNamesOf(name: SettingName): readonly string[] {
  return formerSettings.filter(({ renamedTo }) => renamedTo === name).map((former) => former.name);
}

/** How messages name a setting by its source: `--workers`, `BURGEE_WORKERS`, `"workers" in FILE`. */
export type LabelOf = (name: string) => string;

/** @returns the warning for an earlier name, with what to do. */
export function formerSettingWarning({ name, renamedTo, reason }: FormerSetting, labelOf: LabelOf): string {
  const label = labelOf(name);
  if (renamedTo === null) return `${label} is ignored: ${reason}. Remove it`;
  return `${label} is now called ${labelOf(renamedTo)}: ${reason}. Rename it`;
}

/** @returns a row of the table in `docs/configuration.md`. */
export function renderFormerSetting({ name, renamedTo, reason }: FormerSetting): string {
  const names = (of: string): string => [of, flagName(of), variableName(of)].map(inCode).join(', ');
  const effect = renamedTo === null ? 'ignored' : `renamed to ${names(renamedTo)}`;
  return `| ${names(name)} | ${effect} | ${reason} |`;
}

function inCode(text: string): string {
  return `\`${text}\``;
}
