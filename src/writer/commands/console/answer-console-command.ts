import {
  type AdmittedCall,
  admitConsoleCall,
  mismatchedHandler,
} from '../../../contracts/console/admit-console-call.ts';
import { consoleRefusal, consoleSuccess } from '../../../contracts/console/console-answers.ts';
import type { ConsoleAnswer, ConsoleCall } from '../../../contracts/console/console-call.ts';
import type { ConsoleCommandEntry, ConsoleDecision } from '../../../contracts/console/console-handler.ts';
import type { ConsoleAskId } from '../../../contracts/console/console-steps.ts';
import type {
  PublicCommandEntry,
  PublicContext,
  PublicRequest,
} from '../../../contracts/console/public-handler.ts';
import type { ConsoleOutcome } from '../../../domain/console/console-problem.ts';
import type { RecordChange } from '../../../domain/record-change.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import { joinPieces } from '../../../support/text-pieces.ts';
import { consoleCommands } from './console-commands.ts';

/** A change of the console that was decided: `changes` are stored whole before `answer` is given. */
export interface ConsoleWrite {
  readonly changes: readonly RecordChange[];
  readonly answer: ConsoleAnswer;
}

/** Decides a change of the console. A refusal changes nothing. */
export function answerConsoleCommand(
  queries: RecordQueries,
  call: ConsoleCall,
  context: PublicContext,
): ConsoleWrite {
  const { asker, outcome } = admitConsoleCall(queries, call, context);
  const decided = outcome.ok ? decide(queries, call.operation, outcome.value, context) : outcome;
  if (!decided.ok) {
    return { changes: [], answer: consoleRefusal(decided.problem, context.docsUrl, asker, context.now) };
  }
  const { changes, reply } = decided.value;
  return { changes, answer: asMessage(consoleSuccess(reply, asker, context.now)) };
}

/** What crosses to another thread is text: pieces would be read after the transaction. */
function asMessage(answer: ConsoleAnswer): ConsoleAnswer {
  return { ...answer, body: joinPieces(answer.body) };
}

function decide(
  queries: RecordQueries,
  operation: ConsoleAskId,
  { guarded, request }: AdmittedCall,
  context: PublicContext,
): ConsoleOutcome<ConsoleDecision> {
  const entry: ConsoleCommandEntry | PublicCommandEntry | undefined = consoleCommands[operation];
  // Its body has the operation's shape: `admitConsoleCall` has checked it.
  const checked = request as PublicRequest<never>;
  if (entry?.scope === 'public') return entry.run(queries, checked, guarded.principal, context);
  if (entry?.scope === 'member' && guarded.scope === 'member') {
    return entry.run(queries, checked, guarded.principal, context);
  }
  if (entry?.scope === 'project' && guarded.scope === 'project') {
    return entry.run(queries, checked, guarded.principal, context);
  }
  throw mismatchedHandler(operation);
}
