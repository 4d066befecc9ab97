import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import { needsTouch } from './session.ts';

/** @returns the session's use as a record, unless it has ended meanwhile or another request has recorded one. */
export function touchSession(
  queries: RecordQueries,
  sessionId: string,
  now: number,
): readonly RecordChange[] {
  const before = queries.session(sessionId);
  if (before === undefined || !needsTouch(before, now)) return [];
  return [{ kind: 'session', before, after: { ...before, lastSeenAt: now } }];
}
