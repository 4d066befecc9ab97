import type { RecordQueries } from '../domain/record-queries.ts';
import { joinPieces } from '../support/text-pieces.ts';
import { consoleRefusal, consoleSuccess, runConsoleCall } from './answer-console.ts';
import type { ApiAnswer, ApiCall } from './call.ts';
import { consoleWrites } from './console-writes.ts';
import type { WriteDecision } from './management-operation.ts';
import type { ConsoleContext, ConsoleDecision, ConsoleWrite } from './operation.ts';

const operations: ReadonlyMap<string, ConsoleWrite> = new Map(Object.entries<ConsoleWrite>(consoleWrites));

/** Decides a change of the console. A refusal changes nothing. */
export function answerConsoleWrite(
  queries: RecordQueries,
  call: ApiCall,
  context: ConsoleContext,
): WriteDecision {
  const operation = operations.get(call.operation ?? '');
  if (operation === undefined) throw new Error(`${call.operation} is no change of the console`);
  const { asker, outcome } = runConsoleCall<ConsoleDecision>(queries, operation, call, context);
  if (!outcome.ok) {
    return { changes: [], answer: consoleRefusal(outcome.problem, asker, call, context) };
  }
  const { changes, reply } = outcome.value;
  return { changes, answer: asMessage(consoleSuccess(reply, asker, call, context)) };
}

/** What crosses to another thread must be text: pieces would be read after the transaction. */
function asMessage(answer: ApiAnswer): ApiAnswer {
  return { ...answer, body: joinPieces(answer.body) };
}
