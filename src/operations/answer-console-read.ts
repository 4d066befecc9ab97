import type { RecordQueries } from '../domain/record-queries.ts';
import { consoleRefusal, consoleSuccess, guardConsoleCall, runConsoleCall } from './answer-console.ts';
import type { ApiAnswer, ApiCall, ApiCallHead, HeadCheck } from './call.ts';
import { consoleOperations, consoleSteps } from './console-operations.ts';
import type { ConsoleContext, ConsoleOperation, Shown } from './operation.ts';

const operations: ReadonlyMap<string, ConsoleOperation> = new Map<string, ConsoleOperation>([
  ...Object.entries<ConsoleOperation>(consoleOperations),
  ...Object.entries<ConsoleOperation>(consoleSteps),
]);

/** @throws Error for an id that is not in the tables. */
export function consoleOperation(id: string | null): ConsoleOperation {
  const operation = operations.get(id ?? '');
  if (operation === undefined) throw new Error(`${id} is no operation of the console`);
  return operation;
}

/** Answers a read of the console. A body in pieces is read from `queries` while it is iterated. */
export function answerConsoleRead(queries: RecordQueries, call: ApiCall, context: ConsoleContext): ApiAnswer {
  const operation = consoleOperation(call.operation);
  if (operation.actor !== 'read') throw new Error(`${operation.id} is no read`);
  const { asker, outcome } = runConsoleCall<Shown>(queries, operation, call, context);
  if (outcome.ok) return consoleSuccess(outcome.value, asker, call, context);
  return consoleRefusal(outcome.problem, asker, call, context);
}

/** Checks a request by its head, before its body is read. The answer checks again. */
export function checkConsoleHead(
  queries: RecordQueries,
  call: ApiCallHead,
  context: ConsoleContext,
): HeadCheck {
  const guarded = guardConsoleCall(queries, consoleOperation(call.operation), call, context);
  if (!guarded.ok) return { refusal: consoleRefusal(guarded.problem, null, call, context) };
  const { principal } = guarded.value;
  if (principal === null) return { asker: null };
  const { id: asker, organisationId: organisation } = principal.member;
  return { asker: { asker, project: call.params['projectId'] ?? null, organisation } };
}
