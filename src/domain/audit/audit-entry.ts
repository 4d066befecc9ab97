import { isIdShaped } from '../../support/id-shape.ts';
import type { WholeLists } from './list-difference.ts';

export interface Actor {
  readonly kind: 'token' | 'member' | 'operator';
  /** Empty for the operator. */
  readonly id: string;
  readonly name: string;
}

export const auditActions = [
  'flag.create',
  'flag.patch',
  'flag.edit',
  'flag.delete',
  'audience.create',
  'audience.edit',
  'audience.delete',
  'project.create',
  'project.edit',
  'environment.create',
  'environment.edit',
  'environment.delete',
  'token.create',
  'token.revoke',
  'token.rotate',
  'organisation.create',
  'organisation.edit',
  'organisation.set-plan',
  'member.create',
  'member.edit',
  'member.remove',
  'member.invite',
  'member.withdraw-invitation',
  'member.make-sign-in-link',
  'member.follow-sign-in-link',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One field with its old and new value, as JSON would show them; `before` is null when the thing is new. */
export interface AuditChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A change as it was recorded. */
export interface RecordedChange extends AuditChange {
  /** Of a long list: then `before` has only the items that went, `after` only those that came. Absent otherwise. */
  readonly whole?: WholeLists;
}

export interface AuditEntry {
  readonly id: string;
  /** The chain that the entry belongs to: an organisation's id, or a personal project's. */
  readonly ledgerId: string;
  readonly projectId: string | null;
  readonly at: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** What was changed: a flag's, token's, … id and its name at that moment. */
  readonly targetId: string;
  readonly targetName: string;
  readonly environment: string | null;
  readonly changes: readonly AuditChange[];
  /** Null for what the operator does. */
  readonly requestId: string | null;
}

/** What an entry says beside its changes, which may be megabytes. */
export type AuditHead = Omit<AuditEntry, 'changes'>;

/** An entry's head, and its place in the ledger. */
export interface SequencedHead {
  /** Within its ledger, from 1, without gaps. */
  readonly sequence: number;
  readonly entry: AuditHead;
  /** How much had to be read for it; 0 for what was known already. */
  readonly bytesRead: number;
}

/** An entry in its ledger's chain. */
export interface ChainedEntry extends SequencedHead {
  /** As `changes-text.ts` writes them: their readers take them in slices. */
  readonly changesText: string;
  /** SHA-256 over the hash of the entry before and this one, 32 bytes. */
  readonly hash: Uint8Array;
}

/** The ids by which a ledger finds an entry quickly: its project's and its target's, as far as the ledger is not theirs. */
export function auditSubjects({ ledgerId, projectId, targetId }: AuditHead): readonly string[] {
  const subjects = new Set([targetId, projectId ?? targetId]);
  subjects.delete(ledgerId);
  return [...subjects].filter(isIdShaped);
}
