import type { Audience } from '../evaluation/audience.ts';
import type { Flag } from '../flag/flag.ts';
import type { Environment, Project } from '../project/project.ts';
import type { RecordQueries } from '../record-queries.ts';
import { allow, type ConsoleOutcome, deny } from './console-problem.ts';

/** An unknown flag and another project's flag get the same answer, so that ids cannot be probed. */
export function findConsoleFlag(
  queries: RecordQueries,
  project: Project,
  id: string | undefined,
): ConsoleOutcome<Flag> {
  const flag = queries.flag(id ?? '');
  return flag?.projectId === project.id ? allow(flag) : denyUnknownFlag();
}

export function denyUnknownFlag(): ReturnType<typeof deny> {
  return deny('not-found', 'No flag with that id exists in this project.');
}

export function findAudience(
  queries: RecordQueries,
  project: Project,
  id: string | undefined,
): ConsoleOutcome<Audience> {
  const audience = queries.audience(id ?? '');
  if (audience?.projectId === project.id) return allow(audience);
  return deny('not-found', 'No audience with that id exists in this project.');
}

/** @param number as a decimal, from the path. */
export function findByNumber(project: Project, number: string | undefined): ConsoleOutcome<Environment> {
  const environment = project.environments.find((one) => String(one.number) === number);
  if (environment !== undefined) return allow(environment);
  return deny('not-found', 'No environment with that number exists in this project.');
}
