import { tokenDescriptionSchema } from '../../contracts/management/token-description.ts';
import { addQueryProblems, parseManagementQuery } from '../../domain/management/management-query.ts';
import { refuseProblems } from '../../domain/management/refusal.ts';
import { succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { tokenView } from '../../domain/token/token.ts';
import { managementRead, successAnswer } from '../management-operation.ts';

/** `GET /api/v1/token`. */
export const readToken = managementRead('read-token', {
  route: 'GET /api/v1/token',
  summary: 'See what the token may do',
  description: 'Shows the project, the permission and the environments of the token that asks.',
  parameters: [],
  answers: [{ status: 200, description: 'The token that asked.', schema: tokenDescriptionSchema }],
  problems: [],
  run: (_queries, call, { token, project }) => {
    const problems = new ProblemList();
    addQueryProblems(parseManagementQuery(call.query), [], problems);
    if (!problems.isEmpty) return refuseProblems(token, problems);
    return succeed(successAnswer(200, JSON.stringify(tokenView(token, project)), token.id));
  },
});
