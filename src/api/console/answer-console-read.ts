import type { ConsoleCall } from '../../contracts/console/console-call.ts';
import { tooMuchUnread } from '../overloaded.ts';
import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleHeaderFields } from './console-headers.ts';
import type { ConsoleReply } from './console-reply.ts';

/** Answers a read from a snapshot, whole or in chunks. */
export function answerConsoleRead(reply: ConsoleReply, call: ConsoleCall, actors: ConsoleActors): void {
  const { answer, release } = actors.reads.console(call);
  const { status, body, contentType, fileName, memberId, touchedSessionId } = answer;
  const fields: ConsoleHeaderFields = { contentType, fileName };
  const touch = (): void => {
    if (!reply.request.isBackground) actors.touch(touchedSessionId);
  };
  const answerWhole = (whole: string | Uint8Array): void => {
    touch();
    if (reply.exchange.reserve(Buffer.byteLength(whole))) reply.answer(status, whole, fields, memberId);
    else reply.refuseUnavailable(tooMuchUnread);
  };
  if (typeof body === 'string') {
    answerWhole(body);
    return;
  }
  actors.longAnswers.send({
    exchange: reply.exchange,
    status,
    pieces: body,
    isPinned: true,
    holder: () => ({
      asker: memberId,
      project: call.params['projectId'] ?? null,
      address: reply.request.limitKey,
    }),
    release,
    headers: () => reply.headers(status, fields),
    answerWhole,
    refuse: (detail) => reply.refuseUnavailable(detail),
    fail: (fault, hasBegun) => {
      actors.onFault(fault, reply.request.requestId);
      if (!hasBegun) reply.refuseInternal();
    },
    onBegin: touch,
    onOver: () => reply.finishLong(status, memberId),
  });
}
