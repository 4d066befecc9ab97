import type { ApiReply } from '../../operations/api-reply.ts';
import type { ApiCall, ApiReads } from '../../operations/call.ts';
import { type ReadTurns, readingTenant, readTooLate } from '../../operations/read-turns.ts';

interface TurnActors {
  readonly reads: ApiReads;
  readonly readTurns: ReadTurns;
}

/**
 * The call with the turn that it waits for in the writer. To learn how long its flag is, the flag's record is copied: that
 * waits like a read.
 * @returns null when it came too late, or its client is gone
 */
export async function withWriterTurn(
  reply: ApiReply,
  call: ApiCall,
  { reads, readTurns }: TurnActors,
): Promise<ApiCall | null> {
  let sent: ApiCall | null = null;
  await readTurns.make({
    run: () => {
      if (reply.exchange.isOver) return;
      const turnOf = reads.turnOf(call);
      sent = turnOf === undefined ? call : { ...call, turnOf };
    },
    tenant: () => readingTenant(reads.checkHead(call), reply.request.limitKey),
    refuseLate: () => reply.refuseUnavailable(readTooLate),
  });
  return sent;
}
