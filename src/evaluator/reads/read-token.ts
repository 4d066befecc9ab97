import { successAnswer } from '../../contracts/management/answers.ts';
import { addQueryProblems, parseManagementQuery } from '../../domain/management/management-query.ts';
import { proceed, refuseProblems } from '../../domain/management/refusal.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { tokenView } from '../../domain/token/token-view.ts';
import type { ManagementRead } from './management-read.ts';

/** `GET /api/v1/token`. */
export const readToken: ManagementRead = (_queries, call, { token, project }) => {
  const problems = new ProblemList();
  addQueryProblems(parseManagementQuery(call.query), [], problems);
  if (!problems.isEmpty) return refuseProblems(token, problems);
  return proceed(successAnswer(200, JSON.stringify(tokenView(token, project)), token.id));
};
