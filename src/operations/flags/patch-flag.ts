import { flagPatchBodySchema } from '../../contracts/management/flag-patch-body.ts';
import { patchResultSchema } from '../../contracts/management/patch-result.ts';
import { flagTag } from '../../contracts/operation.ts';
import { applyPatch, parsePatch } from '../../domain/flag/flag-patch.ts';
import { flatFlagView } from '../../domain/flag/flag-view.ts';
import { withPresentStates } from '../../domain/flag/whole-flag.ts';
import { readDryRun } from '../../domain/management/dry-run.ts';
import {
  flagEntityTag,
  permitsRevision,
  readIfMatch,
  type TagCondition,
} from '../../domain/management/entity-tag.ts';
import { chooseEnvironment } from '../../domain/management/environment-choice.ts';
import { limitPatch } from '../../domain/management/environment-limit.ts';
import { findFlag, hasAudience } from '../../domain/management/find-flag.ts';
import { addQueryProblems, parseManagementQuery } from '../../domain/management/management-query.ts';
import { refuseProblems, refuseRequest } from '../../domain/management/refusal.ts';
import { parseBody } from '../../domain/management/request-body.ts';
import { succeed } from '../../domain/outcome.ts';
import { ProblemList } from '../../domain/problem-list.ts';
import { soleEnvironment } from '../../domain/project/project.ts';
import { addFlagBoundProblems } from '../../domain/record-bounds.ts';
import {
  conditionHeader,
  dryRunParameter,
  envParameter,
  flagIdParameter,
  managementWrite,
  successAnswer,
} from '../management-operation.ts';
import { flagChangeRecords, withoutChanges } from './flag-writes.ts';

const parameters = ['env', 'dryRun'] as const;

/** `PATCH /api/v1/flags/{id}`. A patch that changes nothing writes nothing; nor does a dry run. */
export const patchFlag = managementWrite('patch-flag', {
  route: 'PATCH /api/v1/flags/{id}',
  summary: 'Change the state of a flag',
  description:
    'Fields that are left out stay as they are. A patch that changes nothing is answered with `changed: false` and leaves no trace.',
  parameters: [
    flagIdParameter,
    envParameter('The environment to change. Required for a group flag, refused otherwise.'),
    dryRunParameter,
    conditionHeader('If-Match', 'ETags of earlier answers. If the flag has changed since: 412.'),
  ],
  body: flagPatchBodySchema,
  answers: [
    {
      status: 200,
      description: 'The flag after the patch, flat.',
      schema: patchResultSchema,
      headers: flagTag,
    },
  ],
  problems: ['environment-not-permitted', 'not-found', 'precondition-failed'],
  // From step 9 of the order of checks on: flag, environments, all problems of the request, If-Match (docs/api.md).
  run: (queries, call, principal, context) => {
    const { token, project } = principal;
    const found = findFlag(queries, principal, call.params['id'] ?? '');
    if (!found.ok) return found;
    const query = parseManagementQuery(call.query);
    const limited = limitPatch(principal, query);
    if (!limited.ok) return limited;
    const problems = new ProblemList();
    addQueryProblems(query, parameters, problems);
    const isDryRun = readDryRun(query, parameters, problems);
    const environment = chooseEnvironment(project, query, true, problems);
    const ifMatch = readIfMatch(call.header, problems);
    const patch = parsePatch(parseBody(call.body), (id) => hasAudience(queries, project.id, id), problems);
    if (!problems.isEmpty) return refuseProblems(token, problems);

    const before = found.value;
    if (ifMatch !== null && !permitsRevision(ifMatch, before)) {
      return refuseRequest(
        token,
        'precondition-failed',
        describeMove(flagEntityTag(before, project), ifMatch),
      );
    }
    const number = environment?.number ?? soleEnvironment;
    const result = applyPatch(withPresentStates(before, project), number, patch, context.now);
    const { changed, flag: after, changes } = result;
    if (changed) addFlagBoundProblems(queries, project, before, after, '"cohorts"', problems);
    if (!problems.isEmpty) return refuseProblems(token, problems);
    const flag = flatFlagView(after, project, environment);
    const tag = flagEntityTag(after, project);
    const answer = successAnswer(200, JSON.stringify({ changed, flag }), token.id, { entityTag: tag });
    if (isDryRun) return withoutChanges(succeed({ changes: [], answer }));
    if (!changed) return succeed({ changes: [], answer });
    const change = {
      action: 'flag.patch',
      before,
      after,
      environment: environment?.name ?? null,
      changes,
    } as const;
    const { requestId, address } = call;
    const stamp = { id: context.newId(), at: context.now, requestId, address };
    return succeed({ changes: flagChangeRecords(principal, change, stamp), answer });
  },
});

function describeMove(current: string, condition: TagCondition): string {
  if (condition.tags.every(({ isWeak }) => isWeak)) {
    return `The header If-Match has weak tags only, which never match. The flag's ETag is now ${current}, without W/ before it.`;
  }
  return `The flag has changed since the ETag in If-Match: its ETag is now ${current}. Read the flag again, and decide again.`;
}
