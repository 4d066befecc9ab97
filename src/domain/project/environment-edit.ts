import type { AuditChange } from '../audit/audit-entry.ts';
import { environmentsMax } from '../bounds.ts';
import { type ProblemList, shown } from '../problem-list.ts';
import {
  type Environment,
  environmentNameRule,
  findEnvironment,
  isEnvironmentName,
  type Project,
} from './project.ts';

/** The fields of an environment's edit; an absent one keeps its value. */
export interface EnvironmentSettings {
  readonly name?: string;
  readonly isProtected?: boolean;
}

/** Adds the problem of a list with too many environments. @param field its name in messages */
export function addCountProblem(count: number, problems: ProblemList, field = 'environments'): void {
  if (count > environmentsMax) {
    problems.add(() => `${field} must be at most ${environmentsMax} in one project`);
  }
}

/** Adds the problem of a name that no environment may have. @param field its name in messages. */
export function addEnvironmentNameProblem(name: string, field: string, problems: ProblemList): void {
  if (!isEnvironmentName(name)) problems.add(() => `${field} must be ${environmentNameRule}`);
}

/** Adds the problem of a name that this environment may not take. @param number its own; null for a new one. */
export function addNameProblem(
  project: Project,
  number: number | null,
  name: string,
  problems: ProblemList,
): void {
  addEnvironmentNameProblem(name, 'name', problems);
  const known = findEnvironment(project, name);
  if (known !== undefined && known.number !== number) {
    problems.add(() => `name "${shown(name)}" is taken by another environment of this project`);
  }
}

/** The project with one more environment at the end. Its number was never used before. */
export function withEnvironment(project: Project, name: string, isProtected: boolean): Project {
  const environment = { number: project.nextEnvironmentNumber, name, isProtected };
  const grown = { ...project, nextEnvironmentNumber: project.nextEnvironmentNumber + 1 };
  return withEnvironments(grown, [...project.environments, environment]);
}

/** @returns the project and its changes; the same project when nothing changes. */
export function withEditedEnvironment(
  project: Project,
  before: Environment,
  settings: EnvironmentSettings,
): { readonly project: Project; readonly changes: readonly AuditChange[] } {
  const after: Environment = { ...before, ...settings };
  const fields = ['name', 'isProtected'] as const;
  const changes = fields
    .filter((field) => before[field] !== after[field])
    .map((field): AuditChange => ({ field, before: before[field], after: after[field] }));
  if (changes.length === 0) return { project, changes };
  const environments = project.environments.map((one) => (one.number === before.number ? after : one));
  return { project: withEnvironments(project, environments), changes };
}

/** Flags keep their states under its number. These are ignored from now on; the number is never used again. */
export function withoutEnvironment(project: Project, number: number): Project {
  return withEnvironments(
    project,
    project.environments.filter((one) => one.number !== number),
  );
}

function withEnvironments(project: Project, environments: readonly Environment[]): Project {
  const { environmentsRevision, revision } = project;
  return {
    ...project,
    environments,
    environmentsRevision: environmentsRevision + 1,
    revision: revision + 1,
  };
}
