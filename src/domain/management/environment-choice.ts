import { type ProblemList, shown } from '../problem-list.ts';
import { describeEnvironments, type Environment, findEnvironment, type Project } from '../project/project.ts';
import { type ManagementQuery, readParameter } from './management-query.ts';

/**
 * The environment that `env` names, by the kind of project (specification: GET and PATCH of a flag).
 *
 * @param isRequired whether a group flag needs it.
 * @param problems receives its problem, unless decoding has added one.
 * @returns null when none is named, or there is a problem.
 */
export function chooseEnvironment(
  project: Project,
  query: ManagementQuery,
  isRequired: boolean,
  problems: ProblemList,
): Environment | null {
  const { isSent, value } = readParameter(query, 'env');
  if (!project.isMultiEnvironment) {
    if (isSent) problems.add(() => 'drop the query parameter "env": this project has a single environment');
    return null;
  }
  if (!isSent && isRequired) {
    const valid = () => describeEnvironments(project);
    problems.add(() => `add the query parameter "env": this project has several environments (${valid()})`);
  }
  return value === null ? null : findOrAdd(project, value, problems);
}

function findOrAdd(project: Project, name: string, problems: ProblemList): Environment | null {
  const environment = findEnvironment(project, name);
  if (environment !== undefined) return environment;
  problems.add(
    () =>
      `unknown environment "${shown(name)}" in the query parameter "env" (${describeEnvironments(project)})`,
  );
  return null;
}
