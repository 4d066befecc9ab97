import type { AuditChange } from '../audit/audit-entry.ts';
import type { RequestBody } from '../management/request-body.ts';
import type { ProblemList } from '../problem-list.ts';
import { type Flag, type FlagState, nextUpdatedAt, stateIn } from './flag.ts';
import { stateChanges } from './state-changes.ts';
import {
  addUnknownField,
  type FieldSite,
  isStateKey,
  overrideAfter,
  readMembers,
  readStateField,
  type StateFields,
  type StateFieldsDraft,
  stateKeys,
} from './state-fields.ts';

/** A merge patch: a present key replaces the stored value, an absent key is left alone (specification, rule 1). */
export type FlagPatch = StateFields;

export interface AppliedPatch {
  /** Whether the stored state differs afterwards. */
  readonly changed: boolean;
  /** The flag; unchanged when nothing changed. */
  readonly flag: Flag;
  readonly changes: readonly AuditChange[];
}

/**
 * Reads a patch by the specification's rules 1 to 10.
 *
 * @param hasAudience whether the flag's project has an audience with this id.
 * @param problems receives every problem, keys in the order sent; the patch is valid only while it is empty.
 */
export function parsePatch(
  body: RequestBody,
  hasAudience: (id: string) => boolean,
  problems: ProblemList,
): FlagPatch {
  const patch: StateFieldsDraft = {};
  const site: FieldSite = { prefix: '', isQuoted: true, problems, hasAudience };
  if (body.kind === 'unreadable') problems.add(() => body.problem);
  else if (body.kind === 'empty' || body.members.listed.size === 0) problems.add(() => nothingToUpdate);
  else
    readMembers(body.members, site, (key, value) => {
      if (isStateKey(key)) readStateField(patch, key, value, site);
      else addUnknownField(site, key);
    });
  return patch;
}

const nothingToUpdate = `no fields to update: send at least one of ${stateKeys.join(', ')}`;

/**
 * @param environmentNumber of the environment to change, or `soleEnvironment`.
 * @param now Unix milliseconds.
 */
export function applyPatch(
  flag: Flag,
  environmentNumber: number,
  patch: FlagPatch,
  now: number,
): AppliedPatch {
  const before = stateIn(flag, environmentNumber);
  const after = patchedState(flag, before, patch);
  const changes = stateChanges(before, after);
  if (changes.length === 0) return { changed: false, flag, changes };
  const changed: Flag = {
    id: flag.id,
    projectId: flag.projectId,
    name: flag.name,
    nameSince: flag.nameSince,
    aliases: flag.aliases,
    description: flag.description,
    tags: flag.tags,
    cohorts: flag.cohorts,
    states: new Map(flag.states).set(environmentNumber, after),
    revision: flag.revision + 1,
    createdAt: flag.createdAt,
    updatedAt: nextUpdatedAt(flag.updatedAt, now),
  };
  return { changed: true, flag: changed, changes };
}

function patchedState(flag: Flag, state: FlagState, patch: FlagPatch): FlagState {
  const { enabled, trafficPercentage, cohorts, audienceId } = patch;
  const { cohortOverride } = state;
  return {
    enabled: enabled ?? state.enabled,
    trafficPercentage: trafficPercentage ?? state.trafficPercentage,
    cohortOverride:
      cohorts === undefined ? cohortOverride : overrideAfter(cohortOverride, cohorts, flag.cohorts),
    audienceId: audienceId === undefined ? state.audienceId : audienceId,
  };
}
