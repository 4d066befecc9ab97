import type { AuditAction, AuditEntry } from '../audit/audit-entry.ts';
import type { RecordChange } from '../record-change.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Members have an eighth beyond the tokens' quota: when a program has used up the quota, a member must still be able
 * to switch a flag off.
 */
const memberShare = 9 / 8;

/**
 * Actions that remove what a change within the quota has created, and sign-ins: they are counted, and never refused. A
 * change with such an entry is stored whole.
 */
const neverRefused: ReadonlySet<AuditAction> = new Set([
  'flag.delete',
  'audience.delete',
  'environment.delete',
  'token.revoke',
  'member.remove',
  'member.withdraw-invitation',
  'session.begin',
  'session.end',
]);

/** @param at Unix milliseconds @returns the UTC day, counted from 1970-01-01 */
export function quotaDayOf(at: number): number {
  return Math.floor(at / dayMs);
}

/**
 * @returns the audit entry of changes that count; null for changes without one, for the operator's, and for failed
 * sign-ins: a client without credentials must not use up the quota
 */
export function quotaEntryOf(changes: readonly RecordChange[]): AuditEntry | null {
  for (const change of changes) {
    if (change.kind !== 'audit') continue;
    const { kind } = change.entry.actor;
    return kind === 'operator' || kind === 'anonymous' ? null : change.entry;
  }
  return null;
}

function isNeverRefused(change: RecordChange): boolean {
  return change.kind === 'audit' && neverRefused.has(change.entry.action);
}

/**
 * Whether an organisation has used up its quota of the day, to which personal projects of its members count. The last
 * change before may exceed the quota, so the excess is at most one change.
 *
 * @param bytesMax for tokens; 0: no quota
 * @param writtenOn bytes that were written on a day
 * @returns whole seconds until the next day begins, in UTC; null when the change is not refused
 */
export function secondsUntilQuota(
  changes: readonly RecordChange[],
  bytesMax: number,
  writtenOn: (ledgerId: string, day: number) => number,
): number | null {
  const entry = bytesMax === 0 ? null : quotaEntryOf(changes);
  if (entry === null || changes.some(isNeverRefused)) return null;
  const day = quotaDayOf(entry.at);
  const allowed = entry.actor.kind === 'member' ? bytesMax * memberShare : bytesMax;
  if (writtenOn(entry.ledgerId, day) < allowed) return null;
  return Math.ceil(((day + 1) * dayMs - entry.at) / 1000);
}
