import type { AuditChange } from '../audit/audit-entry.ts';
import type { Project } from '../project/project.ts';
import { type Flag, type FlagState, initialState, nextUpdatedAt } from './flag.ts';
import { newFlag } from './flag-creation.ts';
import type { FlagEdit } from './flag-edit.ts';
import type { OwnedNames } from './flag-name.ts';
import { areSameCohorts, stateChanges } from './state-changes.ts';
import { overrideAfter, type StateFields } from './state-fields.ts';
import { storedLists, type WholeFlag, wholeFlag } from './whole-flag.ts';

export interface EditResult {
  /** Whether the stored flag differs afterwards. */
  readonly changed: boolean;
  /** The flag; unchanged when nothing changed. */
  readonly flag: Flag;
  readonly changes: readonly AuditChange[];
  /** Name of the one environment that has all changes; null for none, or several. */
  readonly environment: string | null;
  /** Whether an audience is attached that was not before. */
  readonly attachesAudience: boolean;
}

/** Applies a whole draft at once. @param now Unix milliseconds. */
export function applyFlagEdit(flag: Flag, project: Project, edit: FlagEdit, now: number): EditResult {
  const before = wholeFlag(flag, project);
  const after = editedWhole(before, edit);
  const { names = flag } = edit;
  const flagWide = [...flagWideChanges(before, after), ...nameChanges(flag, names)];
  const byEnvironment = environmentChanges(before, after, project);
  const changes = [...flagWide, ...byEnvironment.flatMap((one) => one.changes)];
  const attachesAudience = isAttaching(before, after);
  if (changes.length === 0) return { changed: false, flag, changes, environment: null, attachesAudience };
  const concerned = flagWide.length === 0 && byEnvironment.length === 1 ? byEnvironment[0] : undefined;
  const changed: Flag = {
    ...flag,
    ...labelsOf(after),
    ...{ nameSince: names.nameSince, aliases: names.aliases },
    ...storedLists(after, project),
    revision: flag.revision + 1,
    updatedAt: nextUpdatedAt(flag.updatedAt, now),
  };
  return { changed: true, flag: changed, changes, environment: concerned?.name ?? null, attachesAudience };
}

/** A new flag from a draft; absent fields get their defaults. @param now Unix milliseconds. */
export function flagFromEdit(edit: FlagEdit, project: Project, id: string, now: number): EditResult['flag'] {
  const blank = newFlag({ name: '', description: '', tags: [], states: new Map() }, id, project.id, now);
  const whole = editedWhole(wholeFlag(blank, project), edit);
  return { ...blank, ...labelsOf(whole), ...storedLists(whole, project) };
}

/** Whether a new flag applies an audience anywhere. */
export function appliesAudience(flag: Flag): boolean {
  return Array.from(flag.states.values()).some(({ audienceId }) => audienceId !== null);
}

function labelsOf({ name, description, tags }: WholeFlag): Pick<Flag, 'name' | 'description' | 'tags'> {
  return { name, description, tags };
}

function editedWhole(before: WholeFlag, { labels, cohorts = before.cohorts, states }: FlagEdit): WholeFlag {
  const { name = before.name, description = before.description, tags = before.tags } = labels;
  const edited = Array.from(before.states, ([number, state]) => {
    return [number, editedState(state, states.get(number) ?? {}, cohorts)] as const;
  });
  return { name, description, tags, cohorts, states: new Map(edited) };
}

/** @param flagWide the inherited list after the draft is stored. */
function editedState(before: FlagState, fields: StateFields, flagWide: readonly string[]): FlagState {
  const { enabled, trafficPercentage, cohorts, audienceId } = fields;
  const { cohortOverride } = before;
  return {
    enabled: enabled ?? before.enabled,
    trafficPercentage: trafficPercentage ?? before.trafficPercentage,
    cohortOverride: cohorts === undefined ? cohortOverride : overrideAfter(cohortOverride, cohorts, flagWide),
    audienceId: audienceId === undefined ? before.audienceId : audienceId,
  };
}

function flagWideChanges(before: WholeFlag, after: WholeFlag): AuditChange[] {
  const changes: AuditChange[] = [];
  for (const field of ['name', 'description'] as const) {
    if (before[field] !== after[field]) changes.push({ field, before: before[field], after: after[field] });
  }
  for (const field of ['tags', 'cohorts'] as const) {
    if (areSameCohorts(before[field], after[field])) continue;
    changes.push({ field, before: before[field], after: after[field] });
  }
  return changes;
}

/** To which names a flag answers. The time since when is no change of its own. */
export function nameChanges(before: OwnedNames, after: OwnedNames): AuditChange[] {
  const [did, does] = [before.nameSince !== null, after.nameSince !== null];
  const changes = did === does ? [] : [{ field: 'answersToName', before: did, after: does }];
  if (areSameCohorts(before.aliases, after.aliases)) return changes;
  return [...changes, { field: 'aliases', before: before.aliases, after: after.aliases }];
}

interface EnvironmentChanges {
  /** Null in a single-environment project. */
  readonly name: string | null;
  readonly changes: readonly AuditChange[];
}

/** Only environments that change, in the project's order. */
function environmentChanges(before: WholeFlag, after: WholeFlag, project: Project): EnvironmentChanges[] {
  return Array.from(after.states, ([number, state]) => {
    const name = project.environments.find((one) => one.number === number)?.name ?? null;
    const prefix = name === null ? '' : `environments.${name}.`;
    const changes = stateChanges(before.states.get(number) ?? initialState, state);
    return { name, changes: changes.map((change) => ({ ...change, field: prefix + change.field })) };
  }).filter(({ changes }) => changes.length > 0);
}

function isAttaching(before: WholeFlag, after: WholeFlag): boolean {
  return Array.from(after.states).some(
    ([number, { audienceId }]) => audienceId !== null && audienceId !== before.states.get(number)?.audienceId,
  );
}
