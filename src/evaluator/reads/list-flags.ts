import { successAnswer } from '../../contracts/management/answers.ts';
import type { Flag } from '../../domain/flag/flag.ts';
import { type FlagView, flagView } from '../../domain/flag/flag-view.ts';
import { chooseEnvironment } from '../../domain/management/environment-choice.ts';
import { limitRead } from '../../domain/management/environment-limit.ts';
import {
  addQueryProblems,
  parseManagementQuery,
  readParameter,
} from '../../domain/management/management-query.ts';
import { proceed, refuseProblems } from '../../domain/management/refusal.ts';
import { isStorableName } from '../../domain/name-rules.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { ManagementRead } from './management-read.ts';

/** `GET /api/v1/flags`. The body comes flag by flag: its pieces are read from `queries` when they are asked for. */
export const listFlags: ManagementRead = (queries, call, principal) => {
  const { token, project } = principal;
  const query = parseManagementQuery(call.query);
  const limited = limitRead(principal, query);
  if (!limited.ok) return limited;
  const problems = new ProblemList();
  addQueryProblems(query, ['env', 'name'], problems);
  const environment = chooseEnvironment(project, query, false, problems);
  if (!problems.isEmpty) return refuseProblems(token, problems);
  const flags = selectFlags(queries, project.id, readParameter(query, 'name').value);
  const body = listPieces(flags, (flag) => flagView(flag, project, environment));
  return proceed({ ...successAnswer(200, body, token.id), projectId: project.id });
};

/** @param name exactly; null for every flag. A name that no flag can have needs no look-up. */
function selectFlags(queries: RecordQueries, projectId: string, name: string | null): Iterable<Flag> {
  if (name === null) return queries.flagsOf(projectId);
  return isStorableName(name) ? queries.flagsOf(projectId, name) : [];
}

function* listPieces(flags: Iterable<Flag>, view: (flag: Flag) => FlagView): Generator<string> {
  let opening = '{"flags":[';
  for (const flag of flags) {
    yield opening + JSON.stringify(view(flag));
    opening = ',';
  }
  yield opening === ',' ? ']}' : `${opening}]}`;
}
