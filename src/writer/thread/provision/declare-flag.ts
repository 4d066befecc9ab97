import { stepInto } from '../../../contracts/compiled-schema.ts';
import type { DeclaredFlag, DeclaredState } from '../../../contracts/provision/declared-flag.ts';
import type { AuditChange } from '../../../domain/audit/audit-entry.ts';
import type { Audience } from '../../../domain/evaluation/audience.ts';
import {
  type Flag,
  type FlagState,
  initialState,
  namesOf,
  nextUpdatedAt,
  stateIn,
} from '../../../domain/flag/flag.ts';
import { creationChanges, newFlag } from '../../../domain/flag/flag-creation.ts';
import { flagWithName } from '../../../domain/flag/flag-name.ts';
import { areSameCohorts, stateChanges } from '../../../domain/flag/state-changes.ts';
import { shown } from '../../../domain/problem-list.ts';
import {
  describeEnvironments,
  findEnvironment,
  type Project,
  soleEnvironment,
} from '../../../domain/project/project.ts';
import { addFlagBoundProblems } from '../../../domain/record-bounds.ts';
import { ledgerOf } from '../../../operations/audit-entries.ts';
import type { DeclaredInto } from './declare-project.ts';
import type { ProvisionScope } from './provision-scope.ts';

/** What all flags of one project need. */
export interface FlagSite extends DeclaredInto {
  readonly audiences: ReadonlyMap<string, readonly Audience[]>;
  /** The names in the file by the id of the flag that answered to them. */
  readonly declared: Map<string, string>;
}

/** Finds a flag of the project by its name, or creates it. @returns its id. */
export function declareFlag(
  scope: ProvisionScope,
  site: FlagSite,
  declared: DeclaredFlag,
  path: string,
): string {
  const name = declared.name.trim();
  const known = site.isNew ? undefined : findNamed(scope, site.project, name, stepInto(path, 'name'));
  if (known !== undefined) scope.compareId(known, declared.id, path);
  const before = known ?? blankFlag(scope, site.project, name, scope.idOf(declared.id, path));
  const other = site.declared.get(before.id);
  if (other !== undefined) {
    scope.problems.add(
      () =>
        `${stepInto(path, 'name')}: "${shown(name)}" and "${shown(other)}" are names of one flag; declare it once`,
    );
  }
  site.declared.set(before.id, name);
  const after = declaredOnto(scope, site, before, declared, path);
  const field = stepInto(path, 'cohorts');
  addFlagBoundProblems(scope.queries, site.project, known ?? null, after, field, scope.problems);
  if (known === undefined) createFlag(scope, site.project, after);
  else editFlag(scope, site.project, known, after);
  return before.id;
}

/** @returns the flag that answers to the name. A flag that only has the name is a problem: each run would add another. */
function findNamed(
  scope: ProvisionScope,
  { id: projectId }: Project,
  name: string,
  path: string,
): Flag | undefined {
  const id = flagWithName(scope.queries, projectId, name);
  const flag = id === null ? undefined : scope.queries.flag(id);
  if (flag === undefined || namesOf(flag).includes(name)) return flag;
  scope.problems.add(
    () =>
      `${path}: no flag answers to "${name}", but flag ${id} has that name; give it the name in the console first, or rename it`,
  );
  return undefined;
}

/** A new flag, which answers to its name. */
function blankFlag(scope: ProvisionScope, { id: projectId }: Project, name: string, id: string): Flag {
  const blank = { name, description: '', tags: [], states: new Map() };
  return { ...newFlag(blank, id, projectId, scope.now), nameSince: scope.now };
}

/** The flag with the declared values; what the declaration leaves out keeps its value. */
function declaredOnto(
  scope: ProvisionScope,
  site: FlagSite,
  flag: Flag,
  declared: DeclaredFlag,
  path: string,
): Flag {
  const { isMultiEnvironment } = site.project;
  const { description = flag.description, tags = flag.tags } = declared;
  const cohorts = isMultiEnvironment ? (declared.cohorts ?? flag.cohorts) : flag.cohorts;
  const states = new Map(flag.states);
  for (const [number, state, statePath] of declaredStates(scope, site.project, declared, path)) {
    const before = stateIn(flag, number);
    const after = stateOnto(scope, site, before, state, statePath);
    if (stateChanges(before, after).length > 0) states.set(number, after);
  }
  return { ...flag, description, tags, cohorts, states };
}

/**
 * The declared states, each with its environment's number and its path. The wrong form for the project is a problem.
 */
function declaredStates(
  scope: ProvisionScope,
  project: Project,
  declared: DeclaredFlag,
  path: string,
): (readonly [number, DeclaredState, string])[] {
  const { environments } = declared;
  if (!project.isMultiEnvironment) {
    if (environments === undefined) return [[soleEnvironment, declared, path]];
    const fix = 'the project has a single environment, so give the state next to the name';
    scope.problems.add(() => `${path}.environments is not accepted: ${fix}`);
    return [];
  }
  for (const key of ['enabled', 'trafficPercentage', 'audience'] as const) {
    if (declared[key] === undefined) continue;
    const fix = `the project has several environments, so give it as environments.<env>.${key}`;
    scope.problems.add(() => `${path}.${key} is not accepted: ${fix}`);
  }
  return Object.entries(environments ?? {}).flatMap(([name, state]) => {
    const environment = findEnvironment(project, name);
    const statePath = () => stepInto(`${path}.environments`, name);
    if (environment !== undefined) return [[environment.number, state, statePath()] as const];
    scope.problems.add(
      () => `${statePath()} is not an environment of this project (${describeEnvironments(project)})`,
    );
    return [];
  });
}

/**
 * A declared list is stored as the environment's own even if it equals the flag-wide one: a file declares what is
 * stored, and only a patch avoids an override that makes no difference. An empty list inherits.
 */
function stateOnto(
  scope: ProvisionScope,
  site: FlagSite,
  state: FlagState,
  declared: DeclaredState,
  path: string,
): FlagState {
  const { enabled = state.enabled, trafficPercentage = state.trafficPercentage, cohorts } = declared;
  const ownCohorts = cohorts?.length === 0 ? null : cohorts;
  return {
    enabled,
    trafficPercentage: trafficPercentage + 0, // -0 becomes 0
    cohortOverride: ownCohorts === undefined ? state.cohortOverride : ownCohorts,
    audienceId:
      declared.audience === undefined ? state.audienceId : audienceId(scope, site, declared.audience, path),
  };
}

function audienceId(scope: ProvisionScope, site: FlagSite, name: string | null, path: string): string | null {
  if (name === null) return null;
  const trimmed = name.trim();
  const audience = scope.single(site.audiences.get(trimmed) ?? [], `${path}.audience`, trimmed);
  if (audience === undefined) {
    scope.problems.add(() => `${path}.audience: this project has no audience named "${shown(trimmed)}"`);
  }
  return audience?.id ?? null;
}

function createFlag(scope: ProvisionScope, project: Project, flag: Flag): void {
  const changes = creationChanges(flag, project);
  scope.count('created');
  scope.change(
    { kind: 'flag', before: null, after: flag, environment: null },
    { ...entryOf(project, flag), action: 'flag.create', changes },
  );
}

/** One audit entry for the flag-wide changes, and one for each environment that changes. */
function editFlag(scope: ProvisionScope, project: Project, before: Flag, declared: Flag): void {
  const flagWide = flagWideChanges(before, declared);
  const changed = [...declared.states].filter(([number, state]) => before.states.get(number) !== state);
  scope.count(flagWide.length + changed.length === 0 ? 'unchanged' : 'changed');
  if (flagWide.length + changed.length === 0) return;
  const updatedAt = nextUpdatedAt(before.updatedAt, scope.now);
  const after = { ...declared, revision: before.revision + 1, updatedAt };
  const common = { ...entryOf(project, after), action: 'flag.patch' } as const;
  const entries = changed.map(([number, state]) => ({
    ...common,
    ...environmentOf(project, number),
    changes: stateChanges(before.states.get(number) ?? initialState, state),
  }));
  const wide = flagWide.length === 0 ? [] : [{ ...common, changes: flagWide }];
  const [first, ...others] = [...wide, ...entries];
  if (first === undefined) return;
  const isOneEnvironment = wide.length === 0 && entries.length === 1;
  const environment = isOneEnvironment ? (entries[0]?.environment ?? null) : null;
  scope.change({ kind: 'flag', before, after, environment }, first);
  for (const entry of others) scope.audit(entry);
}

function environmentOf(project: Project, number: number): { readonly environment?: string } {
  const environment = project.environments.find((candidate) => candidate.number === number);
  return environment === undefined ? {} : { environment: environment.name };
}

function flagWideChanges(before: Flag, after: Flag): AuditChange[] {
  const changes: AuditChange[] = [];
  if (before.description !== after.description) {
    changes.push({ field: 'description', before: before.description, after: after.description });
  }
  for (const field of ['tags', 'cohorts'] as const) {
    if (!areSameCohorts(before[field], after[field])) {
      changes.push({ field, before: before[field], after: after[field] });
    }
  }
  return changes;
}

function entryOf(project: Project, { id, name }: Flag) {
  return { ledgerId: ledgerOf(project), projectId: project.id, targetId: id, targetName: name };
}
