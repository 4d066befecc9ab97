import type { ConsoleAnswer, ConsoleCall } from '../../contracts/console/console-call.ts';
import type { Read } from '../../evaluator/reads/reads.ts';
import { LateAnswer } from '../late-answer.ts';
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
  const late = new LateAnswer(first);
  const touch = (): void => {
    if (!reply.request.isBackground) actors.touch(first.touchedSessionId);
  };
  actors.longAnswers.send({
    exchange: reply.exchange,
    get status() {
      return late.known.status;
    },
    get heldBytes() {
      return held.bytes;
    },
    pieces: late.pieces(),
    isPinned: true,
    holder: () => holderOf(reply, call, first),
    release,
    headers: () => reply.headers(late.known.status, fieldsOf(late.known)),
    answerWhole: (whole) => {
      touch();
      reply.answer(late.known.status, whole, fieldsOf(late.known), late.known.memberId);
    },
    refuse: (detail) => reply.refuseUnavailable(detail),
    fail: (fault, hasBegun) => {
      actors.onFault(fault, reply.request.requestId);
      if (!hasBegun) reply.refuseInternal();
    },
    onBegin: touch,
    onOver: () => reply.finishLong(late.known.status, late.known.memberId),
  });
}
