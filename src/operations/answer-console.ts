import { errorEnvelope } from '../contracts/error-envelope.ts';
import { problemTable } from '../contracts/problem-table.ts';
import type { ConsolePrincipal } from '../domain/console/console-principal.ts';
import type { ConsoleProblem } from '../domain/console/console-problem.ts';
import { type ConsoleGuarded, guardConsole } from '../domain/console/guard-console.ts';
import { type Outcome, refuse, succeed } from '../domain/outcome.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import { needsTouch } from '../domain/session/session.ts';
import { type ApiAnswer, type ApiCall, type ApiCallHead, apiAnswer } from './call.ts';
import { readConsoleBody } from './console-body.ts';
import { readConsoleQuery } from './console-query.ts';
import type {
  ConsoleContext,
  ConsoleOperation,
  ConsoleRead,
  ConsoleRequest,
  ConsoleWrite,
  Shown,
} from './operation.ts';

/** The asker that the guard found, and the outcome of the request. */
export interface Admission<Result> {
  readonly asker: ConsolePrincipal | null;
  readonly outcome: Outcome<Result, ConsoleProblem>;
}

/**
 * Runs an operation after its guard: the asker's permission, the target, the query and the shape of the body are
 * checked. The same in worker and writer.
 */
export function runConsoleCall<Result>(
  queries: RecordQueries,
  operation: ConsoleRead | ConsoleWrite,
  call: ApiCall,
  context: ConsoleContext,
): Admission<Result> {
  const guarded = guardConsoleCall(queries, operation, call, context);
  if (!guarded.ok) return { asker: null, outcome: guarded };
  const asker = guarded.value.principal;
  const query = readConsoleQuery(call.query, operation.query);
  if (!query.ok) return { asker, outcome: refuse('invalid-request', query.detail) };
  const body = bodyOf(operation, call);
  if (!body.ok) return { asker, outcome: body };
  const { requestId, params, address, userAgent } = call;
  const { query: asked } = query;
  const request: ConsoleRequest = { requestId, params, address, userAgent, query: asked, body: body.value };
  // The guard has found the principal that this access requires, and the body has the operation's shape.
  const run = operation.run as (...sent: readonly unknown[]) => Outcome<Result, ConsoleProblem>;
  return { asker, outcome: run(queries, request, asker, context) };
}

/** The first step: finds the asker and the target, and checks the asker's role. It needs no body. */
export function guardConsoleCall(
  queries: RecordQueries,
  { access }: ConsoleOperation,
  { params, credential }: ApiCallHead,
  context: ConsoleContext,
): Outcome<ConsoleGuarded, ConsoleProblem> {
  const projectId = params['projectId'] ?? null;
  return guardConsole(queries, access, { sessionSecret: credential, projectId }, context);
}

function bodyOf(
  { route, body: schema }: ConsoleOperation,
  { body }: ApiCall,
): Outcome<unknown, ConsoleProblem> {
  if (route === null) return body === null ? succeed(null) : readConsoleBody(null, body);
  return schema === null ? succeed(null) : readConsoleBody(schema, body);
}

export function consoleRefusal(
  problem: ConsoleProblem,
  asker: ConsolePrincipal | null,
  { params }: ApiCallHead,
  { docsUrl, now }: ConsoleContext,
): ApiAnswer {
  const { status } = problemTable[problem.code];
  const body = errorEnvelope(problem, docsUrl, 'console');
  return apiAnswer(status, body, shareOf(asker, params, now));
}

/** @returns the answer to a successful request: 204 when there is nothing to show. */
export function consoleSuccess(
  shown: Shown,
  asker: ConsolePrincipal | null,
  { params }: ApiCallHead,
  { now }: ConsoleContext,
): ApiAnswer {
  const { status = 200, value, pieces } = shown;
  const share = shareOf(asker, params, now);
  if (pieces !== undefined) {
    const { text, contentType, fileName } = pieces;
    return { ...apiAnswer(status, text, share), contentType, fileName };
  }
  if (value === undefined) return { ...apiAnswer(204, '', share), contentType: null };
  return apiAnswer(status, JSON.stringify(value), share);
}

function shareOf(asker: ConsolePrincipal | null, params: ApiCallHead['params'], now: number) {
  const touchedSessionId = asker !== null && needsTouch(asker.session, now) ? asker.session.id : null;
  const { id: askerId = null, organisationId = null } = asker?.member ?? {};
  return { touchedSessionId, askerId, projectId: params['projectId'] ?? null, organisationId };
}
