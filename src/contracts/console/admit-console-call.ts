import { allow, type ConsoleOutcome } from '../../domain/console/console-problem.ts';
import { type ConsoleGuarded, guardConsole } from '../../domain/console/guard-console.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { Asker } from './console-answers.ts';
import { readConsoleBody } from './console-body.ts';
import type { ConsoleCall, ConsoleCallHead } from './console-call.ts';
import { type ConsoleAskId, consoleRow, isConsoleStep } from './console-steps.ts';
import type { PublicContext, PublicRequest } from './public-handler.ts';

export interface AdmittedCall {
  readonly guarded: ConsoleGuarded;
  readonly request: PublicRequest;
}

/** What the guard found of who asks, whether or not the rest was in order. */
export interface Admission {
  readonly asker: Asker;
  readonly outcome: ConsoleOutcome<AdmittedCall>;
}

/** The steps before a handler: who asks, what of, and whether the body has its shape. The same in worker and writer. */
export function admitConsoleCall(
  queries: RecordQueries,
  call: ConsoleCall,
  context: PublicContext,
): Admission {
  const guarded = guardConsoleCall(queries, call, context);
  if (!guarded.ok) return { asker: null, outcome: guarded };
  const asker = guarded.value.principal;
  const body = bodyOf(call);
  if (!body.ok) return { asker, outcome: body };
  const { requestId, params, query, address, userAgent } = call;
  const request = { requestId, params, query, address, userAgent, body: body.value };
  return { asker, outcome: allow({ guarded: guarded.value, request }) };
}

/** The first of these steps: who asks, and what of. It needs no body. */
export function guardConsoleCall(
  queries: RecordQueries,
  { operation, params, sessionSecret }: ConsoleCallHead,
  context: PublicContext,
): ConsoleOutcome<ConsoleGuarded> {
  const projectId = params['projectId'] ?? null;
  return guardConsole(queries, consoleRow(operation).access, { sessionSecret, projectId }, context);
}

function bodyOf(call: ConsoleCall): ConsoleOutcome<unknown> {
  const { body: schema } = consoleRow(call.operation);
  if (isConsoleStep(call.operation)) return readConsoleBody(null, call.body);
  return schema === null ? allow(null) : readConsoleBody(schema, call.body);
}

/** A handler that is not of its operation's scope is a mistake that no request can mend. */
export function mismatchedHandler(operation: ConsoleAskId): Error {
  return new Error(`${operation} has no handler of its scope here`);
}
