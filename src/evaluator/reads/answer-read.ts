import { denialOf, ownerOf, refusalAnswer, successAnswer } from '../../contracts/management/answers.ts';
import { guardCall } from '../../contracts/management/guard-call.ts';
import type {
  ManagementAnswer,
  ManagementCall,
  ManagementRoute,
} from '../../contracts/management/management-call.ts';
import type { ManagementContext } from '../../contracts/management/management-context.ts';
import type { Principal } from '../../domain/management/guard.ts';
import { proceed, type Step } from '../../domain/management/refusal.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { Steps } from '../../support/steps.ts';
import { listFlags } from './list-flags.ts';
import type { LateRead, ManagementRead } from './management-read.ts';
import { readFlag } from './read-flag.ts';
import { readToken } from './read-token.ts';

/** Null: the route is a write, and belongs to the writer. */
const reads: Readonly<Record<ManagementRoute, ManagementRead | null>> = {
  'read-token': readToken,
  'list-flags': listFlags,
  'read-flag': readFlag,
  'create-flag': null,
  'patch-flag': null,
};

/**
 * Answers a read of the Management API, or a request for no endpoint at all. A body in pieces is read from `queries`
 * while it is iterated. The answer's denial is still to be recorded by the writer.
 *
 * @throws when the call is a write: it should have gone to the writer.
 */
export function answerManagementRead(
  queries: RecordQueries,
  call: ManagementCall,
  context: ManagementContext,
): ManagementAnswer {
  const read = decide(queries, call, context);
  if (!('later' in read)) return answerOf(read, call, context);
  const { principal, later } = read;
  const answer = successAnswer(200, '', principal.token.id);
  return { ...answer, owner: ownerOf(principal), later: settle(later, call, context) };
}

function* settle(
  later: LateRead['later'],
  call: ManagementCall,
  context: ManagementContext,
): Steps<ManagementAnswer> {
  return answerOf(yield* later, call, context);
}

function answerOf(
  step: Step<ManagementAnswer>,
  call: ManagementCall,
  context: ManagementContext,
): ManagementAnswer {
  if (step.ok) return step.value;
  return refusalAnswer(step.refusal, denialOf(step.refusal, call, context), context.docsUrl);
}

/**
 * Refuses a change of the Management API by its head, before its body is read: steps 4 to 7 of the order of checks. The
 * writer takes them again, with the change. The answer's denial is still to be recorded by the writer.
 *
 * @returns null: let it come
 */
export function refuseManagementWrite(
  queries: RecordQueries,
  call: ManagementCall,
  context: ManagementContext,
): ManagementAnswer | null {
  const guarded = guardCall(queries, call, context);
  if (guarded.ok) return null;
  return refusalAnswer(guarded.refusal, denialOf(guarded.refusal, call, context), context.docsUrl);
}

function decide(
  queries: RecordQueries,
  call: ManagementCall,
  context: ManagementContext,
): Step<ManagementAnswer> | (LateRead & { readonly principal: Principal }) {
  const run = call.route === null ? null : reads[call.route];
  if (run === null && call.route !== null) throw new Error(`${call.route} is the writer's to answer`);
  const guarded = guardCall(queries, call, context);
  if (!guarded.ok) return guarded;
  if (run === null) throw new Error('the guard lets no request pass without a route');
  const principal = guarded.value;
  const read = run(queries, call, principal);
  if ('later' in read) return { ...read, principal };
  return read.ok ? proceed({ ...read.value, owner: ownerOf(principal) }) : read;
}
