import { flagListSchema } from '../../contracts/management/flag-list.ts';
import type { Flag } from '../../domain/flag/flag.ts';
import { flagView } from '../../domain/flag/flag-view.ts';
import { chooseEnvironment } from '../../domain/management/environment-choice.ts';
import { limitRead } from '../../domain/management/environment-limit.ts';
import {
  addQueryProblems,
  parseManagementQuery,
  readParameter,
} from '../../domain/management/management-query.ts';
import { refuseProblems } from '../../domain/management/refusal.ts';
import { isName } from '../../domain/name-rules.ts';
import { succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import type { Environment, Project } from '../../domain/project/project.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { envParameter, managementRead, successAnswer } from '../management-operation.ts';

/** `GET /api/v1/flags`. Each flag is read from `queries` when its piece of the body is asked for. */
export const listFlags = managementRead('list-flags', {
  route: 'GET /api/v1/flags',
  inPieces: true,
  summary: "List the flags of the token's project",
  description: 'All flags at once, or those of one name.',
  parameters: [
    {
      name: 'name',
      in: 'query',
      required: false,
      description:
        'Only flags of exactly this name (case-sensitive), first the one that answers to it. Use it to find a flag id.',
      example: 'checkout',
    },
    envParameter('Shows group flags flat, for this environment.'),
  ],
  answers: [{ status: 200, description: 'The flags, by name, then id.', schema: flagListSchema }],
  problems: ['environment-not-permitted'],
  run: (queries, call, principal) => {
    const { token, project } = principal;
    const query = parseManagementQuery(call.query);
    const limited = limitRead(principal, query);
    if (!limited.ok) return limited;
    const problems = new ProblemList();
    addQueryProblems(query, ['env', 'name'], problems);
    const environment = chooseEnvironment(project, query, false, problems);
    if (!problems.isEmpty) return refuseProblems(token, problems);
    const flags = selectFlags(queries, project.id, readParameter(query, 'name').value);
    return succeed(successAnswer(200, listPieces(flags, project, environment), token.id));
  },
});

/** @param name exactly; null for every flag. A name that no flag can have needs no look-up. */
function selectFlags(queries: RecordQueries, projectId: string, name: string | null): Iterable<Flag> {
  if (name === null) return queries.flagsOf(projectId);
  return isName(name) ? flagsOfName(queries, projectId, name) : [];
}

/** First the one that answers to the name. */
function* flagsOfName(queries: RecordQueries, projectId: string, name: string): Generator<Flag> {
  const id = queries.flagNamed(projectId, name);
  const owner = id === undefined ? undefined : queries.flag(id);
  if (owner?.name === name) yield owner;
  for (const flag of queries.flagsOf(projectId, name)) if (flag.nameSince === null) yield flag;
}

function* listPieces(
  flags: Iterable<Flag>,
  project: Project,
  environment: Environment | null,
): Generator<string> {
  let opening = '{"flags":[';
  for (const flag of flags) {
    yield opening + JSON.stringify(flagView(flag, project, environment));
    opening = ',';
  }
  yield opening === ',' ? ']}' : `${opening}]}`;
}
