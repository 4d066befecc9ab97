import { flagRepresentationSchema } from '../../contracts/management/flag-representation.ts';
import { flagTag } from '../../contracts/operation.ts';
import { flagView } from '../../domain/flag/flag-view.ts';
import { flagEntityTag, isRevalidated } from '../../domain/management/entity-tag.ts';
import { chooseEnvironment } from '../../domain/management/environment-choice.ts';
import { limitRead } from '../../domain/management/environment-limit.ts';
import { findFlag } from '../../domain/management/find-flag.ts';
import { addQueryProblems, parseManagementQuery } from '../../domain/management/management-query.ts';
import { refuseProblems } from '../../domain/management/refusal.ts';
import { succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import {
  conditionHeader,
  envParameter,
  flagIdParameter,
  managementRead,
  successAnswer,
} from '../management-operation.ts';

/** `GET /api/v1/flags/{id}`. */
export const readFlag = managementRead('read-flag', {
  route: 'GET /api/v1/flags/{id}',
  summary: 'Read one flag',
  description: 'A group flag is shown with the states of all its environments, or flat for the one in `env`.',
  parameters: [
    flagIdParameter,
    envParameter('Shows a group flag flat, for this environment.'),
    conditionHeader('If-None-Match', 'ETags of earlier answers to this request. If one still holds: 304.'),
  ],
  answers: [
    { status: 200, description: 'The flag.', schema: flagRepresentationSchema, headers: flagTag },
    { status: 304, description: 'The flag has not changed.', schema: null, headers: flagTag },
  ],
  problems: ['environment-not-permitted', 'not-found'],
  run: (queries, call, principal) => {
    const { token, project } = principal;
    const query = parseManagementQuery(call.query);
    const found = findFlag(queries, principal, call.params['id'] ?? '');
    if (!found.ok) return found;
    const flag = found.value;
    const limited = limitRead(principal, query);
    if (!limited.ok) return limited;
    const problems = new ProblemList();
    addQueryProblems(query, ['env'], problems);
    const environment = chooseEnvironment(project, query, false, problems);
    if (!problems.isEmpty) return refuseProblems(token, problems);
    const tag = flagEntityTag(flag, project);
    if (isRevalidated(call.header, flag, project))
      return succeed(successAnswer(304, '', token.id, { entityTag: tag }));
    const body = JSON.stringify(flagView(flag, project, environment));
    return succeed(successAnswer(200, body, token.id, { entityTag: tag }));
  },
});
