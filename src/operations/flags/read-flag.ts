import { flagRepresentationSchema } from '../../contracts/management/flag-representation.ts';
import { flagTag } from '../../contracts/operation.ts';
import type { FlagOf } from '../../domain/flag/flag.ts';
import { flagView } from '../../domain/flag/flag-view.ts';
import { flagEntityTag, isRevalidated } from '../../domain/management/entity-tag.ts';
import { chooseEnvironment } from '../../domain/management/environment-choice.ts';
import { limitRead } from '../../domain/management/environment-limit.ts';
import { refuseUnknownFlag } from '../../domain/management/find-flag.ts';
import type { Principal } from '../../domain/management/guard.ts';
import { addQueryProblems, parseManagementQuery } from '../../domain/management/management-query.ts';
import { refuseProblems, type Step } from '../../domain/management/refusal.ts';
import { succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import type { Environment } from '../../domain/project/project.ts';
import type { FoundFlag, RecordQueries } from '../../domain/record-queries.ts';
import { jsonPieces } from '../../support/packed-json.ts';
import type { Steps } from '../../support/steps.ts';
import type { ApiAnswer, ApiCall } from '../call.ts';
import {
  conditionHeader,
  envParameter,
  flagIdParameter,
  type LateRead,
  managementRead,
  successAnswer,
} from '../management-operation.ts';
import { copiesShown, isShownInSteps, projectNamedBy } from './flag-pieces.ts';

/** `GET /api/v1/flags/{id}`. A flag with long lists is read and shown in steps. */
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
    { status: 200, description: 'The flag.', schema: flagRepresentationSchema, entityTag: flagTag },
    { status: 304, description: 'The flag has not changed.', schema: null, entityTag: flagTag },
  ],
  problems: ['environment-not-permitted', 'not-found'],
  run: (queries, call, principal) => {
    const { token, project } = principal;
    const query = parseManagementQuery(call.query);
    const found = queries.foundFlag(call.params['id'] ?? '');
    if (found === undefined) return refuseUnknownFlag(token);
    if (projectNamedBy(found) !== project.id) return refuseForeign(found, principal);
    const limited = limitRead(principal, query);
    if (!limited.ok) return limited;
    const problems = new ProblemList();
    addQueryProblems(query, ['env'], problems);
    const environment = chooseEnvironment(project, query, false, problems);
    if (!problems.isEmpty) return refuseProblems(token, problems);
    const asked: Asked = { call, principal, environment };
    if (isShownInSteps(found, copiesShown(project, environment))) return { later: readLong(queries, asked) };
    return succeed(answerOf(found.readWhole(), asked, JSON.stringify));
  },
});

interface Asked {
  readonly call: ApiCall;
  readonly principal: Principal;
  readonly environment: Environment | null;
}

/** Verified, because a damaged record may name another project. */
function refuseForeign(found: FoundFlag, { token }: Principal): Step<ApiAnswer> | LateRead {
  if (isShownInSteps(found, 1)) return { later: verifyForeign(found, token) };
  found.readWhole();
  return refuseUnknownFlag(token);
}

function* verifyForeign(found: FoundFlag, token: Principal['token']): Steps<Step<ApiAnswer>> {
  yield* found.readInSteps();
  return refuseUnknownFlag(token);
}

function* readLong(queries: RecordQueries, asked: Asked): Steps<Step<ApiAnswer>> {
  const found = queries.foundFlag(asked.call.params['id'] ?? '');
  const flag = found === undefined ? undefined : yield* found.readInSteps();
  if (flag === undefined) throw new Error('a flag has gone from a snapshot');
  return succeed(answerOf(flag, asked, jsonPieces));
}

/** @param show makes the body, if the client does not have it already */
function answerOf<List>(
  flag: FlagOf<List>,
  { call, principal: { token, project }, environment }: Asked,
  show: (view: object) => ApiAnswer['body'],
): ApiAnswer {
  const tag = flagEntityTag(flag, project);
  if (isRevalidated(call.header, flag, project)) return successAnswer(304, '', token.id, tag);
  return successAnswer(200, show(flagView(flag, project, environment)), token.id, tag);
}
