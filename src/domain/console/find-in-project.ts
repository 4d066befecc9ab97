import type { Audience } from '../evaluation/audience.ts';
import type { Flag } from '../flag/flag.ts';
import { type Outcome, type RefusedWith, refuse, succeed } from '../outcome.ts';
import type { Environment, Project } from '../project/project.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { ConsoleProblem } from './console-problem.ts';

/** An unknown flag and another project's flag get the same answer, so that ids cannot be probed. */
export function findConsoleFlag(
  queries: RecordQueries,
  project: Project,
  id: string | undefined,
): Outcome<Flag, ConsoleProblem> {
  const flag = queries.flag(id ?? '');
  return flag?.projectId === project.id ? succeed(flag) : refuseAbsentFlag();
}

export function refuseAbsentFlag(): RefusedWith<ConsoleProblem> {
  return refuse('not-found', 'No flag with that id exists in this project.');
}

export function findAudience(
  queries: RecordQueries,
  project: Project,
  id: string | undefined,
): Outcome<Audience, ConsoleProblem> {
  const audience = queries.audience(id ?? '');
  if (audience?.projectId === project.id) return succeed(audience);
  return refuse('not-found', 'No audience with that id exists in this project.');
}

/** @param number as a decimal, from the path. */
export function findByNumber(
  project: Project,
  number: string | undefined,
): Outcome<Environment, ConsoleProblem> {
  const environment = project.environments.find((one) => String(one.number) === number);
  if (environment !== undefined) return succeed(environment);
  return refuse('not-found', 'No environment with that number exists in this project.');
}
