import { successAnswer } from '../../contracts/management/answers.ts';
import { creationChanges, newFlag, parseCreation } from '../../domain/flag/flag-creation.ts';
import { flagView } from '../../domain/flag/flag-view.ts';
import { limitCreation } from '../../domain/management/environment-limit.ts';
import { hasAudience } from '../../domain/management/find-flag.ts';
import { addQueryProblems, parseManagementQuery } from '../../domain/management/management-query.ts';
import { proceed, refuseProblems } from '../../domain/management/refusal.ts';
import { parseBody } from '../../domain/management/request-body.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { flagChangeRecords } from './flag-change.ts';
import { limitBody } from './limit-body.ts';
import type { ManagementCommand } from './management-command.ts';

/** `POST /api/v1/flags`. */
export const createFlag: ManagementCommand = (queries, call, principal, context) => {
  const { token, project } = principal;
  const sized = limitBody(token, call);
  if (!sized.ok) return sized;
  const body = parseBody(call.body);
  const limited = limitCreation(principal, body);
  if (!limited.ok) return limited;
  const problems = new ProblemList();
  addQueryProblems(parseManagementQuery(call.query), [], problems);
  const draft = parseCreation(body, project, (id) => hasAudience(queries, project.id, id), problems);
  if (!problems.isEmpty) return refuseProblems(token, problems);

  const flag = newFlag(draft, context.newId(), project.id, context.now);
  const changes = creationChanges(flag, project);
  const change = { action: 'flag.create', before: null, after: flag, environment: null, changes } as const;
  const stamp = { id: context.newId(), at: context.now, requestId: call.requestId };
  const answer = successAnswer(201, JSON.stringify(flagView(flag, project, null)), token.id);
  return proceed({ changes: flagChangeRecords(principal, change, stamp), answer });
};
