import type { AuditChange } from '../audit/audit-entry.ts';
import { personalProjectsMax, projectsMax } from '../bounds.ts';
import { readName } from '../name-rules.ts';
import { type ProblemList, shown, shownList } from '../problem-list.ts';
import type { RecordQueries } from '../record-queries.ts';
import { addCountProblem, addEnvironmentNameProblem } from './environment-edit.ts';
import { firstEnvironmentNumber, type Project } from './project.ts';
import { slugOf, withSlug } from './project-slug.ts';

/** A new project as the console sends it. */
export interface SentProject {
  readonly name: string;
  readonly isMultiEnvironment: boolean;
  readonly environments?: readonly string[];
  /** Those of `environments` that are protected. */
  readonly protectedEnvironments?: readonly string[];
  /** Of a single-environment project. */
  readonly isProtected?: boolean;
  readonly slug?: string;
}

/** Settings of a project; an absent field keeps its value. */
export interface ProjectSettings {
  readonly name?: string;
  readonly evaluationAccess?: boolean;
  /** Only for a single-environment project. */
  readonly isProtected?: boolean;
  readonly slug?: string;
  readonly isSlugPublic?: boolean;
}

type Owner = Pick<Project, 'organisationId' | 'ownerMemberId'>;

/**
 * Checks a new or renamed project against the others of the same organisation or person: `apply` and `export` identify
 * projects by name, and their number is bounded.
 *
 * @param others every other project of the store. @param isNew whether it adds to their number.
 */
export function addNeighbourProblems(
  name: string,
  owner: Owner,
  others: Iterable<Project>,
  isNew: boolean,
  problems: ProblemList,
): void {
  const neighbours = neighboursOf(owner, others);
  if (neighbours.some((other) => other.name === name)) {
    problems.add(() => `name "${shown(name)}" is taken by another project ${whereOf(owner)}`);
  }
  if (isNew) addProjectCountProblem(owner, neighbours.length, '', problems);
}

/** @returns the projects of the same organisation or person */
export function neighboursOf(owner: Owner, projects: Iterable<Project>): readonly Project[] {
  const { organisationId, ownerMemberId } = owner;
  return Array.from(projects).filter(
    (other) => other.organisationId === organisationId && other.ownerMemberId === ownerMemberId,
  );
}

/** Adds the problem of an owner who cannot have another project. @param count present ones */
export function addProjectCountProblem(
  owner: Owner,
  count: number,
  prefix: string,
  problems: ProblemList,
): void {
  const max = owner.organisationId === null ? personalProjectsMax : projectsMax;
  if (count < max) return;
  problems.add(() => `${prefix}there are ${max} projects ${whereOf(owner)}, which is the limit`);
}

function whereOf({ organisationId }: Owner): string {
  return organisationId === null ? 'among your personal projects' : 'in this organisation';
}

/** @param now Unix milliseconds. @param problems receives every problem; the project is valid only without any. */
export function newProject(
  queries: RecordQueries,
  sent: SentProject,
  owner: Owner,
  id: string,
  now: number,
  problems: ProblemList,
): Project {
  const { isMultiEnvironment, environments = [], protectedEnvironments = [], isProtected = false } = sent;
  const name = readName(sent.name, problems);
  if (!isMultiEnvironment && environments.length > 0) problems.add(() => hasNoEnvironments);
  addListProblems(environments, problems);
  addProtectionProblems(sent, problems);
  return {
    ...{ id, name, ...owner, isMultiEnvironment },
    environments: environments.map((one, index) => {
      return {
        number: firstEnvironmentNumber + index,
        name: one,
        isProtected: protectedEnvironments.includes(one),
      };
    }),
    nextEnvironmentNumber: firstEnvironmentNumber + environments.length,
    environmentsRevision: 1,
    evaluationAccess: true,
    isProtected,
    slugs: sent.slug === undefined ? [] : withSlug(queries, { id, slugs: [] }, sent.slug, '', problems),
    isSlugPublic: false,
    createdAt: now,
    revision: 1,
  };
}

const hasNoEnvironments =
  'environments is not accepted with "isMultiEnvironment": false: a single-environment project has no list of them';

/** In a multi-environment project each environment is protected by itself. */
export const protectsByEnvironment =
  'isProtected is not accepted for a project with several environments: protect them one by one';

function addProtectionProblems(sent: SentProject, problems: ProblemList): void {
  if (sent.isMultiEnvironment && sent.isProtected) problems.add(() => protectsByEnvironment);
  const unknown = (sent.protectedEnvironments ?? []).filter((name) => !sent.environments?.includes(name));
  if (unknown.length > 0)
    problems.add(() => `protectedEnvironments lists ${shownList(unknown)}, not in environments`);
}

function addListProblems(names: readonly string[], problems: ProblemList): void {
  addCountProblem(names.length, problems);
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    addEnvironmentNameProblem(name, `environments[${index}]`, problems);
    if (seen.has(name)) problems.add(() => `environments[${index}]: "${shown(name)}" is listed before`);
    seen.add(name);
  }
}

/** The audit entry of a new project. */
export function newProjectChanges(project: Project): AuditChange[] {
  const { name, isMultiEnvironment, evaluationAccess, isProtected } = project;
  const environments = project.environments.map((one) => one.name);
  const guarded = project.environments.filter((one) => one.isProtected).map((one) => one.name);
  const fields = {
    ...{ name, ...(isMultiEnvironment ? { environments } : {}), evaluationAccess },
    ...(guarded.length > 0 ? { protectedEnvironments: guarded } : {}),
    ...(isProtected ? { isProtected } : {}),
    ...(project.slugs.length > 0 ? { slug: slugOf(project) } : {}),
  };
  return Object.entries(fields).map(([field, after]) => ({ field, before: null, after }));
}

/**
 * @param problems receives why a slug cannot be given, or be public
 * @returns the project with its settings, and the changes; the same project when nothing changes.
 */
export function withSettings(
  queries: RecordQueries,
  before: Project,
  { slug, ...settings }: ProjectSettings,
  prefix: string,
  problems: ProblemList,
): { readonly project: Project; readonly changes: readonly AuditChange[] } {
  const isRenamed = slug !== undefined && slug !== slugOf(before);
  const slugs = isRenamed ? withSlug(queries, before, slug, prefix, problems) : before.slugs;
  const after: Project = { ...before, ...settings, slugs };
  if (after.isSlugPublic && slugs.length === 0) problems.add(() => `${prefix}isSlugPublic needs a slug`);
  const changes = settingsOf(before).flatMap(([field, value], index): AuditChange[] => {
    const next = settingsOf(after)[index]?.[1] ?? null;
    return value === next ? [] : [{ field, before: value, after: next }];
  });
  if (changes.length === 0) return { project: before, changes };
  return { project: { ...after, revision: before.revision + 1 }, changes };
}

function settingsOf(project: Project) {
  const { name, evaluationAccess, isProtected, isSlugPublic } = project;
  return Object.entries({ name, slug: slugOf(project), evaluationAccess, isProtected, isSlugPublic });
}
