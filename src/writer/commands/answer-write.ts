import { denialOf, ownerOf, refusalAnswer } from '../../contracts/management/answers.ts';
import { guardCall } from '../../contracts/management/guard-call.ts';
import type { ManagementCall, ManagementRoute } from '../../contracts/management/management-call.ts';
import { proceed, type Refusal, type Step } from '../../domain/management/refusal.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { recordDenial } from '../../domain/token/record-denial.ts';
import { createFlag } from './create-flag.ts';
import type { ManagementCommand, WriteContext, WriteDecision } from './management-command.ts';
import { patchFlag } from './patch-flag.ts';

/** Null: the route is a read, which workers answer. */
const commands: Readonly<Record<ManagementRoute, ManagementCommand | null>> = {
  'read-token': null,
  'list-flags': null,
  'read-flag': null,
  'create-flag': createFlag,
  'patch-flag': patchFlag,
};

/**
 * Decides a write of the Management API. A refusal of a real token comes with the records of its denial, so the
 * answer's own `denial` is null.
 *
 * @throws when the call is a read: the worker should have answered it.
 */
export function answerManagementWrite(
  queries: RecordQueries,
  call: ManagementCall,
  context: WriteContext,
): WriteDecision {
  const step = write(queries, call, context);
  return step.ok ? step.value : refuseWrite(queries, call, step.refusal, context);
}

function write(queries: RecordQueries, call: ManagementCall, context: WriteContext): Step<WriteDecision> {
  const run = call.route === null ? null : commands[call.route];
  if (run === null && call.route !== null) throw new Error(`${call.route} is a worker's to answer`);
  const guarded = guardCall(queries, call, context);
  if (!guarded.ok) return guarded;
  if (run === null) throw new Error('the guard lets no request pass without a route');
  const principal = guarded.value;
  const step = run(queries, call, principal, context);
  if (!step.ok) return step;
  const { changes, answer } = step.value;
  return proceed({ changes, answer: { ...answer, owner: ownerOf(principal) } });
}

function refuseWrite(
  queries: RecordQueries,
  call: ManagementCall,
  refusal: Refusal,
  context: WriteContext,
): WriteDecision {
  const denial = denialOf(refusal, call, context);
  const token = denial === null ? undefined : queries.token(denial.tokenId);
  const changes = denial === null || token === undefined ? [] : recordDenial(token, denial);
  return { changes, answer: refusalAnswer(refusal, null, context.docsUrl) };
}
