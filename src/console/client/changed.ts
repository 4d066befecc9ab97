import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import { everywhere } from './queries.ts';

/** The data of flags on pages other than the flag's own. */
const flagReadings: readonly unknown[] = [
  'list-console-flags',
  'find-name',
  'list-project-audit',
  'list-audiences',
  'read-audience',
];
const ofEveryProject: readonly unknown[] = ['list-project-audit', 'search-console'];
const audienceReadings: readonly unknown[] = ['list-audiences', 'read-audience', 'list-project-audit'];
const tokenReadings: readonly unknown[] = [
  'list-tokens',
  'read-token-activity',
  'list-project-audit',
  'preview-environment',
];

/**
 * @param key of a query: `queries.ts` says how they are made.
 * @returns whether its result may have changed.
 */
export function isTouchedBy(
  changed: WatchedChanges,
  projectId: string | null,
  key: readonly unknown[],
): boolean {
  const { flags, everyFlag, audiences, project, tokens, organisation } = changed;
  const [scope, id, params] = key;
  if (scope === 'session') return organisation;
  // The organisation's audit log grows with every change, and a search may show every flag.
  if (scope === everywhere)
    return organisation || ofEveryProject.includes(id) || (project && id === 'list-projects');
  if (scope !== projectId) return false;
  if (everyFlag) return true;
  // Flags have the numbers of environments: their names are the project's.
  if (project) return id !== 'list-console-flags' || flags.length > 0;
  if (audiences && audienceReadings.includes(id)) return true;
  if (tokens && tokenReadings.includes(id)) return true;
  if (flags.length === 0) return false;
  return flagReadings.includes(id) || (id === 'read-console-flag' && flags.includes(flagIdOf(params)));
}

/** Merges two reports: a burst of changes causes one reading. */
export function joined(one: WatchedChanges | null, other: WatchedChanges): WatchedChanges {
  if (one === null) return other;
  return {
    position: other.position,
    flags: [...new Set([...one.flags, ...other.flags])],
    everyFlag: one.everyFlag || other.everyFlag,
    audiences: one.audiences || other.audiences,
    project: one.project || other.project,
    tokens: one.tokens || other.tokens,
    organisation: one.organisation || other.organisation,
  };
}

function flagIdOf(params: unknown): string {
  return (params as { readonly flagId: string }).flagId;
}
