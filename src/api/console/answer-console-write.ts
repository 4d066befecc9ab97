import type { ConsoleCall } from '../../contracts/console/console-call.ts';
import type { WriteOutcome } from '../../writer/writer-client.ts';
import { refuseUndecided } from '../refuse-undecided.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleReply } from './console-reply.ts';
import { giveConsole } from './give-console.ts';

const mayBeApplied =
  'The service stopped while the change was on its way. It may have been applied: look before you repeat it.';

/** Passes a change on to the writer, and its answer on to the browser. */
export async function answerConsoleWrite(
  reply: ConsoleReply,
  call: ConsoleCall,
  actors: ConsoleActors,
): Promise<void> {
  const outcome = await actors.writer.writeConsole(call);
  if (outcome.kind !== 'console-answered') {
    refuseWrite(reply, outcome);
    return;
  }
  const { status, body, touchedSessionId, contentType } = outcome.answer;
  // The answer may be a long one, whose client takes its time.
  reply.releaseBody();
  actors.touch(touchedSessionId);
  // A session that has ended takes its cookie along.
  const setCookies = call.operation === 'sign-out' && status < 300 ? [actors.cookie.clear()] : [];
  const fields = { contentType, setCookies };
  giveConsole(reply, call, outcome.answer, String(body), actors, status < 300, fields);
}

/** A change that the writer has not decided. */
export function refuseWrite(reply: ConsoleReply, outcome: WriteOutcome): void {
  refuseUndecided(reply, outcome, mayBeApplied);
}
