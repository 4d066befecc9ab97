import { sessionsMax } from '../bounds.ts';
import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import { isSessionOver, needsTouch, type Session } from './session.ts';

export interface NewSession {
  readonly id: string;
  readonly memberId: string;
  readonly secretHash: Uint8Array;
  readonly address: string;
  readonly userAgent: string;
}

/**
 * A session begins. The session that the browser presented ends, those of the member that are over are deleted, and the
 * longest unused ones end to make room.
 *
 * @param presented the session that the browser had, of any member; null for none.
 */
export function beginSession(
  queries: RecordQueries,
  begun: NewSession,
  presented: Session | null,
  now: number,
): readonly RecordChange[] {
  const after: Session = { ...begun, createdAt: now, lastSeenAt: now };
  const others = [...queries.sessionsOf(begun.memberId)].filter(({ id }) => id !== presented?.id);
  const open = others.filter((session) => !isSessionOver(session, now));
  const newestFirst = open.sort((one, other) => other.lastSeenAt - one.lastSeenAt);
  const kept = new Set(newestFirst.slice(0, sessionsMax - 1));
  const ended = [
    ...others.filter((session) => !kept.has(session)),
    ...(presented === null ? [] : [presented]),
  ];
  return [...ended.map(endOf), { kind: 'session', before: null, after }];
}

function endOf(before: Session): RecordChange {
  return { kind: 'session', before, after: null };
}

/** Ends a member's sessions, all but one. @param keptId null keeps none */
export function endSessions(
  queries: RecordQueries,
  memberId: string,
  keptId: string | null,
): readonly RecordChange[] {
  return [...queries.sessionsOf(memberId)].filter(({ id }) => id !== keptId).map(endOf);
}

/** @returns the record of the session's use, unless it has ended meanwhile or another request has recorded one. */
export function touchSession(
  queries: RecordQueries,
  sessionId: string,
  now: number,
): readonly RecordChange[] {
  const before = queries.session(sessionId);
  if (before === undefined || !needsTouch(before, now)) return [];
  return [{ kind: 'session', before, after: { ...before, lastSeenAt: now } }];
}
