import { errorEnvelope } from '../contracts/error-envelope.ts';
import { problemTable } from '../contracts/problem-table.ts';
import { guardRequest, type Principal } from '../domain/management/guard.ts';
import { parseManagementQuery, requestedEnvironments } from '../domain/management/management-query.ts';
import type { Refusal, Step } from '../domain/management/refusal.ts';
import { succeed } from '../domain/outcome.ts';
import { shown } from '../domain/problem-list.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import type { Denial } from '../domain/token/denial.ts';
import { recordDenial } from '../domain/token/record-denial.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { type ApiAnswer, type ApiCall, type ApiCallHead, apiAnswer, type HeadCheck } from './call.ts';
import type {
  ManagementContext,
  ManagementOperation,
  WriteContext,
  WriteDecision,
} from './management-operation.ts';
import { managementOperations } from './management-operations.ts';

type Table = Readonly<Record<string, ManagementOperation>>;

/** @returns null when there is no such endpoint. */
function operationOf({ operation }: ApiCallHead): ManagementOperation | null {
  return operation === null ? null : ((managementOperations as Table)[operation] ?? null);
}

type Of<Actor> = Extract<ManagementOperation, { readonly actor: Actor }>;

/**
 * Steps 4 to 7 of the order of checks.
 *
 * @throws when the call belongs to the other actor
 */
function guard<Actor extends ManagementOperation['actor']>(
  queries: RecordQueries,
  call: ApiCallHead,
  context: ManagementContext,
  actor: Actor,
): Step<{ readonly principal: Principal; readonly operation: Of<Actor> }> {
  const operation = operationOf(call);
  if (operation !== null && operation.actor !== actor) {
    throw new Error(`${operation.id} is ${actor === 'read' ? "the writer's" : "a worker's"} to answer`);
  }
  const permission = operation?.permission ?? null;
  const guarded = guardRequest(queries, { authorization: call.credential, permission }, context);
  if (!guarded.ok) return guarded;
  if (operation === null) throw new Error('the guard lets no request pass without an endpoint');
  return succeed({ principal: guarded.value, operation: operation as Of<Actor> });
}

/**
 * Answers a read of the Management API, or a request for an unknown endpoint. A body in pieces is read from `queries`
 * while it is iterated. The writer has yet to record the answer's denial.
 *
 * @throws when the call is a write: it should have gone to the writer.
 */
export function answerManagementRead(
  queries: RecordQueries,
  call: ApiCall,
  context: ManagementContext,
): ApiAnswer {
  const guarded = guard(queries, call, context, 'read');
  if (!guarded.ok) return answerOf(guarded, call, context);
  const { principal, operation } = guarded.value;
  const read = operation.run(queries, call, principal);
  return read.ok ? withOwner(read.value, principal) : answerOf(read, call, context);
}

function answerOf(step: Step<ApiAnswer>, call: ApiCall, context: ManagementContext): ApiAnswer {
  return step.ok ? step.value : refusalAnswer(step.problem, denialOf(step.problem, call, context), context);
}

/**
 * Checks a request of the Management API by its head, before its body is read: steps 4 to 7 of the order of checks. They
 * are repeated with the answer. The writer has yet to record the denial of a refusal.
 */
export function checkManagementHead(
  queries: RecordQueries,
  call: ApiCallHead,
  context: ManagementContext,
): HeadCheck {
  const guarded = guard(queries, call, context, operationOf(call)?.actor ?? 'read');
  if (!guarded.ok) {
    return { refusal: refusalAnswer(guarded.problem, denialOf(guarded.problem, call, context), context) };
  }
  const { token, project, organisation } = guarded.value.principal;
  return { asker: { asker: token.id, project: project.id, organisation: organisation.id } };
}

/**
 * Decides a write of the Management API. The refusal of a real token comes with the records of its denial, so the
 * answer's own `denial` is null.
 *
 * @throws when the call is a read: the worker should have answered it.
 */
export function answerManagementWrite(
  queries: RecordQueries,
  call: ApiCall,
  context: WriteContext,
): WriteDecision {
  const guarded = guard(queries, call, context, 'write');
  if (!guarded.ok) return refuseWrite(queries, call, guarded.problem, context);
  const { principal, operation } = guarded.value;
  const step = operation.run(queries, call, principal, context);
  if (!step.ok) return refuseWrite(queries, call, step.problem, context);
  const { changes, answer } = step.value;
  return { changes, answer: withOwner(answer, principal) };
}

function refuseWrite(
  queries: RecordQueries,
  call: ApiCall,
  refusal: Refusal,
  context: WriteContext,
): WriteDecision {
  const denial = denialOf(refusal, call, context);
  const token = denial === null ? undefined : queries.token(denial.tokenId);
  const changes = denial === null || token === undefined ? [] : recordDenial(token, denial);
  return { changes, answer: refusalAnswer(refusal, null, context) };
}

/** @param denial that is still to be recorded; null for none, or when it has been. */
export function refusalAnswer(
  refusal: Refusal,
  denial: Denial | null,
  { docsUrl }: Pick<ManagementContext, 'docsUrl'>,
): ApiAnswer {
  const { code, isFailedAuthentication, tokenId, retryAfter } = refusal;
  const { status } = problemTable[code];
  const body = errorEnvelope(refusal, docsUrl);
  return apiAnswer(status, body, { isFailedAuthentication, askerId: tokenId, denial, retryAfter });
}

/** The shares that the answer counts for. */
function withOwner(answer: ApiAnswer, { project, organisation }: Principal): ApiAnswer {
  return { ...answer, projectId: project.id, organisationId: organisation.id };
}

/** @returns the refusal as it is recorded on the token's page; null when no real token was refused. */
function denialOf(refusal: Refusal, call: ApiCallHead, context: ManagementContext): Denial | null {
  const { tokenId, denialReason: reason } = refusal;
  if (tokenId === null || reason === null) return null;
  const environment = refusal.environment ?? firstEnvironment(call.query);
  const route = operationOf(call)?.route ?? unknownRoute;
  const flagId = call.params['id'];
  const denial = { tokenId, at: context.now, reason, route, environment, address: call.address };
  return flagId !== undefined && isIdShaped(flagId) ? { ...denial, flagId } : denial;
}

/** The name of an unknown endpoint in denials and logs. */
export const unknownRoute = 'unknown endpoint';

function firstEnvironment(query: string): string | null {
  const [environment] = requestedEnvironments(parseManagementQuery(query));
  return environment === undefined ? null : shown(environment);
}
