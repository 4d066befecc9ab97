import type { DeclaredProject } from '../../contracts/provision/declared-project.ts';
import { shown, shownList } from '../../domain/problem-list.ts';
import { type Environment, findEnvironment, type Project } from '../../domain/project/project.ts';
import type { ProvisionScope } from './provision-scope.ts';

/** @returns the environments, those protected that are declared so; without a declaration they stay as they are. */
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

/** A name that is no environment's is a mistake: what was meant would not be protected. @param project as it becomes */
export function refuseUnknownProtected(
  scope: ProvisionScope,
  project: Project,
  { protectedEnvironments: declared = [] }: DeclaredProject,
  path: string,
): void {
  const unknown = declared.filter((name) => findEnvironment(project, name) === undefined);
  if (unknown.length === 0) return;
  scope.problems.add(
    () =>
      `${path}.protectedEnvironments lists ${shownList(unknown)}, which project "${shown(project.name)}" does not have`,
  );
}

/** @returns the environments that there were before and whose protection is another now, as they become. */
export function protectionChanges(before: Project, after: Project): readonly Environment[] {
  return after.environments.filter(({ name, isProtected }) => {
    const known = findEnvironment(before, name);
    return known !== undefined && known.isProtected !== isProtected;
  });
}
