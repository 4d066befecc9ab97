import { successAnswer } from '../../contracts/management/answers.ts';
import { flagView } from '../../domain/flag/flag-view.ts';
import { flagEntityTag, isRevalidated } from '../../domain/management/entity-tag.ts';
import { chooseEnvironment } from '../../domain/management/environment-choice.ts';
import { limitRead } from '../../domain/management/environment-limit.ts';
import { findFlag } from '../../domain/management/find-flag.ts';
import { addQueryProblems, parseManagementQuery } from '../../domain/management/management-query.ts';
import { proceed, refuseProblems } from '../../domain/management/refusal.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import type { ManagementRead } from './management-read.ts';

/** `GET /api/v1/flags/{id}`. */
export const readFlag: ManagementRead = (queries, call, principal) => {
  const { token, project } = principal;
  const query = parseManagementQuery(call.query);
  const found = findFlag(queries, principal, call.flagId ?? '');
  if (!found.ok) return found;
  const limited = limitRead(principal, query);
  if (!limited.ok) return limited;
  const problems = new ProblemList();
  addQueryProblems(query, ['env'], problems);
  const environment = chooseEnvironment(project, query, false, problems);
  if (!problems.isEmpty) return refuseProblems(token, problems);
  const flag = found.value;
  const tag = flagEntityTag(flag, project);
  if (isRevalidated(call.ifNoneMatch, flag, project)) return proceed(successAnswer(304, '', token.id, tag));
  const body = JSON.stringify(flagView(flag, project, environment));
  return proceed(successAnswer(200, body, token.id, tag));
};
