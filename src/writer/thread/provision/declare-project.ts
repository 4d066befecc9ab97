import { stepInto } from '../../../contracts/compiled-schema.ts';
import type { DeclaredProject } from '../../../contracts/provision/declared-project.ts';
import type { AuditChange } from '../../../domain/audit/audit-entry.ts';
import { shown, shownList } from '../../../domain/problem-list.ts';
import { addCountProblem } from '../../../domain/project/environment-edit.ts';
import {
  type Environment,
  findEnvironment,
  firstEnvironmentNumber,
  type Project,
} from '../../../domain/project/project.ts';
import {
  addProjectCountProblem,
  neighboursOf,
  type ProjectSettings,
  protectsByEnvironment,
  withSettings,
} from '../../../domain/project/project-edit.ts';
import { slugOf } from '../../../domain/project/project-slug.ts';
import { addEnvironmentBoundProblems } from '../../../domain/record-bounds.ts';
import { ledgerOf } from '../../../operations/audit-entries.ts';
import { created } from './declare-organisation.ts';
import { addTo, type ProvisionDirectory } from './provision-directory.ts';
import type { ProvisionScope } from './provision-scope.ts';

/** The owner of the project: an organisation or a person. */
export type ProjectOwner =
  | { readonly organisationId: string; readonly ownerMemberId: null }
  | { readonly organisationId: null; readonly ownerMemberId: string };

/** A declared project, with what the declarations inside it need. */
export interface DeclaredInto {
  readonly project: Project;
  readonly path: string;
  /** The project is new: nothing in it has to be looked up. */
  readonly isNew: boolean;
}

/** Finds a project among those of its owner by its name, or creates it; adds missing environments. */
export function declareProject(
  scope: ProvisionScope,
  directory: ProvisionDirectory,
  declared: DeclaredProject,
  owner: ProjectOwner,
  path: string,
  id?: string,
): DeclaredInto {
  const name = declared.name.trim();
  const found = (directory.projects.get(name) ?? []).filter(
    (project) =>
      project.organisationId === owner.organisationId && project.ownerMemberId === owner.ownerMemberId,
  );
  const known = scope.single(found, stepInto(path, 'name'), name);
  if (known !== undefined) {
    scope.compareId(known, declared.id, path);
    return { project: editProject(scope, known, declared, path), path, isNew: false };
  }
  const others = neighboursOf(owner, [...directory.projects.values()].flat());
  addProjectCountProblem(owner, others.length, `${path}: `, scope.problems);
  const project = createProject(scope, declared, owner, id ?? scope.idOf(declared.id, path), path);
  refuseUnknownProtected(scope, project, declared, path);
  addTo(directory.projects, name, project);
  return { project, path, isNew: true };
}

function createProject(
  scope: ProvisionScope,
  declared: DeclaredProject,
  owner: ProjectOwner,
  id: string,
  path: string,
): Project {
  const names = declared.environments ?? [];
  addCountProblem(names.length, scope.problems, stepInto(path, 'environments'));
  const blank: Project = {
    ...{ id, name: declared.name.trim(), ...owner },
    isMultiEnvironment: declared.environments !== undefined,
    environments: protectedAs(numbered(names, firstEnvironmentNumber), declared),
    nextEnvironmentNumber: firstEnvironmentNumber + names.length,
    environmentsRevision: 1,
    evaluationAccess: declared.evaluationAccess ?? true,
    isProtected: declared.isProtected ?? false,
    slugs: [],
    isSlugPublic: false,
    createdAt: scope.now,
    revision: 1,
  };
  const { slugs, isSlugPublic } = withDeclared(scope, blank, declared, path).project;
  const project = { ...blank, slugs, isSlugPublic };
  const { name, isMultiEnvironment, evaluationAccess, isProtected } = project;
  const { protectedEnvironments = [] } = declared;
  const environments = {
    ...(isMultiEnvironment ? { environments: names } : {}),
    ...(protectedEnvironments.length === 0 ? {} : { protectedEnvironments }),
    ...(isProtected ? { isProtected } : {}),
    ...(slugs.length === 0 ? {} : { slug: slugOf(project) }),
    ...(isSlugPublic ? { isSlugPublic } : {}),
  };
  scope.count('created');
  scope.change(
    { kind: 'project', before: null, after: project },
    { ...entryOf(project, 'project.create'), changes: created({ name, ...environments, evaluationAccess }) },
  );
  return project;
}

function numbered(names: readonly string[], from: number): Environment[] {
  return names.map((name, index) => ({ number: from + index, name, isProtected: false }));
}

function editProject(
  scope: ProvisionScope,
  before: Project,
  declared: DeclaredProject,
  path: string,
): Project {
  const names = (declared.environments ?? []).filter((name) => findEnvironment(before, name) === undefined);
  if (declared.environments !== undefined && !before.isMultiEnvironment) {
    scope.problems.add(
      () =>
        `${path}.environments is not accepted: project "${shown(before.name)}" has a single environment, which cannot change`,
    );
    return before;
  }
  const { project: set, changes } = withDeclared(scope, before, declared, path);
  const after = editedProject({ ...set, revision: before.revision }, declared, names);
  refuseUnknownProtected(scope, after, declared, path);
  if (names.length > 0) {
    const field = stepInto(path, 'environments');
    addCountProblem(after.environments.length, scope.problems, field);
    addEnvironmentBoundProblems(scope.queries, after, field, scope.problems);
  }
  const hasNewEnvironments = after.environmentsRevision !== before.environmentsRevision;
  const isChanged = hasNewEnvironments || changes.length > 0;
  scope.count(isChanged ? 'changed' : 'unchanged');
  if (!isChanged) return before;
  writeEdit(scope, before, after, names, changes);
  warnOfListedNames(scope, after, names);
  return after;
}

/** @param before with its declared settings. @param names of the new environments */
function editedProject(before: Project, declared: DeclaredProject, names: readonly string[]): Project {
  const all = [...before.environments, ...numbered(names, before.nextEnvironmentNumber)];
  const after: Project = {
    ...before,
    environments: protectedAs(all, declared),
    nextEnvironmentNumber: before.nextEnvironmentNumber + names.length,
    revision: before.revision + 1,
  };
  const isMoved = names.length > 0 || protectionChanges(before, after).length > 0;
  return { ...after, environmentsRevision: before.environmentsRevision + (isMoved ? 1 : 0) };
}

/** @returns the project with its declared settings, and the changes */
function withDeclared(scope: ProvisionScope, before: Project, declared: DeclaredProject, path: string) {
  const settings: ProjectSettings = {
    evaluationAccess: declared.evaluationAccess ?? before.evaluationAccess,
    isProtected: declared.isProtected ?? before.isProtected,
    isSlugPublic: declared.isSlugPublic ?? before.isSlugPublic,
    ...(declared.slug === undefined ? {} : { slug: declared.slug }),
  };
  return withSettings(scope.queries, before, settings, `${path}.`, scope.problems);
}

function writeEdit(
  scope: ProvisionScope,
  before: Project,
  after: Project,
  names: readonly string[],
  changes: readonly AuditChange[],
): void {
  const entries = names.map((name) => {
    const isProtected = findEnvironment(after, name)?.isProtected === true;
    const changes = created({ name, ...(isProtected ? { isProtected } : {}) });
    return { ...entryOf(after, 'environment.create'), environment: name, changes };
  });
  const marks = protectionChanges(before, after).map(({ name, isProtected }) => ({
    ...entryOf(after, 'environment.edit'),
    environment: name,
    changes: [{ field: 'isProtected', before: !isProtected, after: isProtected }],
  }));
  const edits = changes.length === 0 ? [] : [{ ...entryOf(after, 'project.edit'), changes }];
  const [first, ...others] = [...edits, ...marks, ...entries];
  if (first === undefined) return;
  scope.change({ kind: 'project', before, after }, first);
  for (const entry of others) scope.audit(entry);
}

/**
 * A token that lists a name without an environment gets access when an environment of that name is created (decisions).
 */
function warnOfListedNames(scope: ProvisionScope, project: Project, names: readonly string[]): void {
  if (names.length === 0) return;
  for (const { name, revokedAt, environments } of scope.queries.tokensOf(project.id)) {
    const listed = revokedAt === null ? names.filter((one) => environments?.includes(one)) : [];
    if (listed.length === 0) continue;
    scope.warnings.add(
      () =>
        `token "${shown(name)}" already lists ${shownList(listed)}: it now works for that new environment`,
    );
  }
}

type ProjectAction = 'project.create' | 'project.edit' | 'environment.create' | 'environment.edit';

function entryOf<Action extends ProjectAction>(project: Project, action: Action) {
  const { id, name } = project;
  return { ledgerId: ledgerOf(project), projectId: id, action, targetId: id, targetName: name };
}

/** @returns the environments, protected as declared; without a declaration they stay as they are. */
export function protectedAs(
  environments: readonly Environment[],
  { protectedEnvironments: declared }: DeclaredProject,
): readonly Environment[] {
  if (declared === undefined) return environments;
  return environments.map((environment) => ({
    ...environment,
    isProtected: declared.includes(environment.name),
  }));
}

/**
 * Refuses a name that no environment has: the intended environment would stay unprotected.
 * @param project after the edit
 */
export function refuseUnknownProtected(
  scope: ProvisionScope,
  project: Project,
  { protectedEnvironments: declared = [] }: DeclaredProject,
  path: string,
): void {
  if (project.isMultiEnvironment && project.isProtected)
    scope.problems.add(() => `${path}.${protectsByEnvironment}`);
  const unknown = declared.filter((name) => findEnvironment(project, name) === undefined);
  if (unknown.length === 0) return;
  scope.problems.add(
    () =>
      `${path}.protectedEnvironments lists ${shownList(unknown)}, which project "${shown(project.name)}" does not have`,
  );
}

/** @returns the environments that existed before and whose protection changes, in their new state. */
export function protectionChanges(before: Project, after: Project): readonly Environment[] {
  return after.environments.filter(({ name, isProtected }) => {
    const known = findEnvironment(before, name);
    return known !== undefined && known.isProtected !== isProtected;
  });
}
