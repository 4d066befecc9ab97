import { flagCreateBodySchema } from '../../contracts/management/flag-create-body.ts';
import { groupFlagSchema, singleFlagSchema } from '../../contracts/management/flag-representation.ts';
import { flagTag, type OperationParameter } from '../../contracts/operation.ts';
import { idempotencyKeyLengthMax } from '../../domain/bounds.ts';
import { creationChanges, newFlag, parseCreation } from '../../domain/flag/flag-creation.ts';
import { flagWithName } from '../../domain/flag/flag-name.ts';
import { flagView } from '../../domain/flag/flag-view.ts';
import { readIdempotencyKey } from '../../domain/idempotency/answer-keeping.ts';
import { readDryRun } from '../../domain/management/dry-run.ts';
import { flagEntityTag } from '../../domain/management/entity-tag.ts';
import { limitCreation } from '../../domain/management/environment-limit.ts';
import { hasAudience } from '../../domain/management/find-flag.ts';
import type { Principal } from '../../domain/management/guard.ts';
import { addQueryProblems, parseManagementQuery } from '../../domain/management/management-query.ts';
import { refuseProblems, type Step } from '../../domain/management/refusal.ts';
import { parseBody } from '../../domain/management/request-body.ts';
import { succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { addFlagBoundProblems } from '../../domain/record-bounds.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { nameTakenBy } from '../answer-headers.ts';
import type { ApiCall } from '../call.ts';
import {
  dryRunParameter,
  managementWrite,
  successAnswer,
  type WriteContext,
  type WriteDecision,
} from '../management-operation.ts';
import { answerOnce } from './answer-once.ts';
import { flagChangeRecords, withoutChanges } from './flag-writes.ts';

const parameters = ['dryRun'] as const;

const idempotencyKey: OperationParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A request with the same key and body within 24 hours gets the first answer again; nothing is created.',
  example: 'pipeline-4711-checkout',
  schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLengthMax, pattern: '^[!-~]+$' },
};

const nameTakenHeader = {
  [nameTakenBy]: {
    description: 'Id of the flag that has the name already: the new flag answers to its id only.',
    example: 'k3VvX0aPq7Lw2ZtR9bNd',
  },
};

/**
 * `POST /api/v1/flags`. With an `Idempotency-Key` it is decided once; a dry run neither looks a key up nor stores one.
 * Only a request with a valid query and key can be the repetition of one that was answered 201.
 */
export const createFlag = managementWrite('create-flag', {
  route: 'POST /api/v1/flags',
  summary: 'Create a flag',
  description:
    'In a multi-environment project the state is given for each environment. With an `Idempotency-Key` a repeated request creates nothing. If another flag has the name, the new flag answers to its id only.',
  parameters: [dryRunParameter, idempotencyKey],
  body: flagCreateBodySchema,
  answers: [
    {
      status: 201,
      description: 'The new flag.',
      schema: { anyOf: [singleFlagSchema, groupFlagSchema] },
      headers: { ...flagTag, ...nameTakenHeader },
    },
  ],
  problems: ['create-forbidden'],
  run: (queries, call, principal, context) => {
    const problems = new ProblemList();
    const query = parseManagementQuery(call.query);
    addQueryProblems(query, parameters, problems);
    const isDryRun = readDryRun(query, parameters, problems);
    const key = readIdempotencyKey(call.header, problems);
    const decide = () => decideCreation(queries, call, principal, context, problems);
    if (isDryRun) return withoutChanges(decide());
    if (key === null || !problems.isEmpty) return decide();
    return answerOnce(queries, { principal, key, body: call.body }, context, decide);
  },
});

/** @param problems of the query and the headers; those of the body follow. */
function decideCreation(
  queries: RecordQueries,
  call: ApiCall,
  principal: Principal,
  context: WriteContext,
  problems: ProblemList,
): Step<WriteDecision> {
  const { token, project } = principal;
  const body = parseBody(call.body);
  const limited = limitCreation(principal, body);
  if (!limited.ok) return limited;
  const draft = parseCreation(body, project, (id) => hasAudience(queries, project.id, id), problems);
  if (!problems.isEmpty) return refuseProblems(token, problems);

  const takenBy = flagWithName(queries, project.id, draft.name);
  const nameSince = takenBy === null ? context.now : null;
  const flag = { ...newFlag(draft, context.newId(), project.id, context.now), nameSince };
  const field = project.isMultiEnvironment ? 'environments' : 'cohorts';
  addFlagBoundProblems(queries, project, null, flag, field, problems);
  if (!problems.isEmpty) return refuseProblems(token, problems);
  const changes = creationChanges(flag, project);
  const change = { action: 'flag.create', before: null, after: flag, environment: null, changes } as const;
  const { requestId, address } = call;
  const stamp = { id: context.newId(), at: context.now, requestId, address };
  const text = JSON.stringify(flagView(flag, project, null));
  const fields = { entityTag: flagEntityTag(flag, project), nameTakenBy: takenBy };
  const answer = successAnswer(201, text, token.id, fields);
  return succeed({ changes: flagChangeRecords(principal, change, stamp), answer });
}
