import type { ConsolePrincipal } from '../../domain/console/console-principal.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import { beginSession } from '../../domain/session/session-changes.ts';
import type { ConsoleContext, ConsoleRequest } from '../operation.ts';
import type { BegunSession } from './step-bodies.ts';

/** Begins a session with a new secret; the session that the browser presented ends. */
export function openSession(
  queries: RecordQueries,
  memberId: string,
  { address, userAgent }: ConsoleRequest,
  principal: ConsolePrincipal | null,
  { now, newId, newSecret, hashSecret }: ConsoleContext,
): { readonly changes: readonly RecordChange[]; readonly begun: BegunSession } {
  const secret = newSecret();
  const begun = { id: newId(), memberId, secretHash: hashSecret(secret), address, userAgent };
  const changes = beginSession(queries, begun, principal?.session ?? null, now);
  return { changes, begun: { memberId, secret } };
}
