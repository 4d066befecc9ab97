import {
  type AdmittedCall,
  admitConsoleCall,
  guardConsoleCall,
  mismatchedHandler,
} from '../../../contracts/console/admit-console-call.ts';
import { type Asker, consoleRefusal, consoleSuccess } from '../../../contracts/console/console-answers.ts';
import type { ConsoleAnswer, ConsoleCall, ConsoleCallHead } from '../../../contracts/console/console-call.ts';
import type { ConsoleReadEntry, ConsoleReply } from '../../../contracts/console/console-handler.ts';
import type { ConsoleAskId } from '../../../contracts/console/console-steps.ts';
import type {
  PublicContext,
  PublicReadEntry,
  PublicRequest,
} from '../../../contracts/console/public-handler.ts';
import type { ConsoleOutcome } from '../../../domain/console/console-problem.ts';
import type { RecordQueries } from '../../../domain/record-queries.ts';
import type { Steps } from '../../../support/steps.ts';
import { consoleReads } from './console-reads.ts';

/** Answers a read of the console. A body in pieces is read from `queries` while it is iterated. */
export function answerConsoleRead(
  queries: RecordQueries,
  call: ConsoleCall,
  context: PublicContext,
): ConsoleAnswer {
  const { asker, outcome } = admitConsoleCall(queries, call, context);
  const answered = outcome.ok ? read(queries, call.operation, outcome.value, context) : outcome;
  const answer = answerOf(answered, asker, context);
  const later = answered.ok ? answered.value.later : undefined;
  return later === undefined ? answer : { ...answer, later: settle(later, asker, context) };
}

function* settle(
  later: Steps<ConsoleOutcome<ConsoleReply>>,
  asker: Asker,
  context: PublicContext,
): Steps<ConsoleAnswer> {
  return answerOf(yield* later, asker, context);
}

function answerOf(
  outcome: ConsoleOutcome<ConsoleReply>,
  asker: Asker,
  context: PublicContext,
): ConsoleAnswer {
  if (outcome.ok) return consoleSuccess(outcome.value, asker, context.now);
  return consoleRefusal(outcome.problem, context.docsUrl, asker, context.now);
}

/** Refuses a request by its head, before its body is read. Whoever answers it looks again. @returns null: let it come */
export function refuseConsoleCall(
  queries: RecordQueries,
  call: ConsoleCallHead,
  context: PublicContext,
): ConsoleAnswer | null {
  const guarded = guardConsoleCall(queries, call, context);
  return guarded.ok ? null : consoleRefusal(guarded.problem, context.docsUrl, null, context.now);
}

function read(
  queries: RecordQueries,
  operation: ConsoleAskId,
  { guarded, request }: AdmittedCall,
  context: PublicContext,
): ConsoleOutcome<ConsoleReply> {
  const entry: ConsoleReadEntry | PublicReadEntry | undefined = consoleReads[operation];
  if (entry?.scope === 'public') {
    return entry.run(queries, request as PublicRequest<never>, guarded.principal, context);
  }
  if (entry?.scope === 'member' && guarded.scope === 'member') {
    return entry.run(queries, request, guarded.principal, context);
  }
  if (entry?.scope === 'project' && guarded.scope === 'project') {
    return entry.run(queries, request, guarded.principal, context);
  }
  throw mismatchedHandler(operation);
}
