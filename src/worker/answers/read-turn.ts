import type { ApiReply } from '../../operations/api-reply.ts';
import type { ApiCall, ApiReads } from '../../operations/call.ts';
import { type ReadTurns, readingTenant, readTooLate, strangerTenant } from '../../operations/read-turns.ts';

interface TurnActors {
  readonly reads: ApiReads;
  readonly readTurns: ReadTurns;
}

/**
 * Runs what reads the store for a call in the turn of its asker, unless the client is gone by then. One that comes too
 * late is refused.
 * @returns undefined: it has run; otherwise it resolves when it has, or is not wanted any more
 */
export function inReadTurn(
  reply: ApiReply,
  call: ApiCall,
  { reads, readTurns }: TurnActors,
  run: () => void,
): Promise<void> | undefined {
  return readTurns.make({
    run: () => {
      if (!reply.exchange.isOver) run();
    },
    tenant: () => (reply.exchange.isOver ? null : readingTenant(reply, reads.checkHead(call))),
    stranger: () => strangerTenant(reply),
    refuseLate: () => reply.refuseUnavailable(readTooLate),
  });
}

/**
 * The call with the turn that it waits for in the writer. To learn how long its flag is, the flag's record is copied: that
 * waits like a read.
 * @returns the call, or a promise of it where it has to wait; null when it came too late, or its client is gone
 */
export function withWriterTurn(
  reply: ApiReply,
  call: ApiCall,
  actors: TurnActors,
): ApiCall | null | Promise<ApiCall | null> {
  let sent: ApiCall | null = null;
  const waiting = inReadTurn(reply, call, actors, () => {
    const turnOf = actors.reads.turnOf(call);
    sent = turnOf === undefined ? call : { ...call, turnOf };
  });
  return waiting === undefined ? sent : waiting.then(() => sent);
}
