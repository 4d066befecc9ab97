import type { ConsoleAnswer, ConsoleCall } from '../../contracts/console/console-call.ts';
import type { Read } from '../../evaluator/reads/reads.ts';
import { pausing } from '../../support/text-pieces.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleReply } from './console-reply.ts';
import { fieldsOf, giveConsole, holderOf } from './give-console.ts';

/** Answers a read from a snapshot, whole or in chunks. */
export function answerConsoleRead(reply: ConsoleReply, call: ConsoleCall, actors: ConsoleActors): void {
  const read = actors.reads.console(call);
  const { body, later, touchedSessionId } = read.answer;
  if (typeof body !== 'string' || later !== undefined) sendLong(reply, call, read, actors);
  else {
    if (!reply.request.isBackground) actors.touch(touchedSessionId);
    giveConsole(reply, call, read.answer, body, actors, false);
  }
}

function sendLong(
  reply: ConsoleReply,
  call: ConsoleCall,
  { answer: first, held, release }: Read<ConsoleAnswer>,
  actors: ConsoleActors,
): void {
  let answer = first;
  function* pieces(): Generator<string | Uint8Array> {
    if (first.later !== undefined) answer = yield* pausing(first.later);
    if (typeof answer.body === 'string') yield answer.body;
    else yield* answer.body;
  }
  const touch = (): void => {
    if (!reply.request.isBackground) actors.touch(first.touchedSessionId);
  };
  actors.longAnswers.send({
    exchange: reply.exchange,
    get status() {
      return answer.status;
    },
    get heldBytes() {
      return held.bytes;
    },
    pieces: pieces(),
    isPinned: true,
    holder: () => holderOf(reply, call, first),
    release,
    headers: () => reply.headers(answer.status, fieldsOf(answer)),
    answerWhole: (whole) => {
      touch();
      reply.answer(answer.status, whole, fieldsOf(answer), answer.memberId);
    },
    refuse: (detail) => reply.refuseUnavailable(detail),
    fail: (fault, hasBegun) => {
      actors.onFault(fault, reply.request.requestId);
      if (!hasBegun) reply.refuseInternal();
    },
    onBegin: touch,
    onOver: () => reply.finishLong(answer.status, answer.memberId),
  });
}
