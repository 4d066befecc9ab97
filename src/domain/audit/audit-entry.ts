import { isIdShaped } from '../../support/id-shape.ts';

/** Describes a whole list, for an entry that has only its difference. */
export interface WholeList {
  readonly count: number;
  /** Hexadecimal SHA-256 of the list's JSON without white space, as UTF-8. */
  readonly sha256: string;
}

export interface WholeLists {
  readonly before: WholeList;
  readonly after: WholeList;
}

export const actorKinds = ['token', 'member', 'operator', 'anonymous'] as const;

export interface Actor {
  /** `anonymous` is a client that has failed to sign in. */
  readonly kind: (typeof actorKinds)[number];
  /** Empty for the operator and for an anonymous client. */
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
  'session.begin',
  'session.end',
  'session.refuse',
  'audit.export',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** One field with its old and new value as JSON values; `before` is null when the record is new. */
export interface AuditChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A change as it was recorded. */
export interface RecordedChange extends AuditChange {
  /** For a long list: then `before` has only the removed items, and `after` only the added ones. Absent otherwise. */
  readonly whole?: WholeLists;
}

export interface AuditEntry {
  readonly id: string;
  /** The chain that the entry belongs to: the id of an organisation or a personal project. */
  readonly ledgerId: string;
  readonly projectId: string | null;
  readonly at: number;
  readonly actor: Actor;
  readonly action: AuditAction;
  /** The changed record: its id, and its name at that time. */
  readonly targetId: string;
  readonly targetName: string;
  readonly environment: string | null;
  readonly changes: readonly AuditChange[];
  /** Null for the operator's changes, and for a count of failed sign-ins. */
  readonly requestId: string | null;
  /** The client's address; null for the operator's changes, and for failed sign-ins from further addresses. */
  readonly address: string | null;
}

/** The fields of an entry except its changes. */
export type AuditHead = Omit<AuditEntry, 'changes'>;

/** An entry's head, and its place in the ledger. */
export interface SequencedHead {
  /** Within its ledger, from 1, without gaps. */
  readonly sequence: number;
  readonly entry: AuditHead;
  /** Bytes that were read for it; 0 when it was cached. */
  readonly bytesRead: number;
}

/** An entry in its ledger's chain. */
export interface ChainedEntry extends SequencedHead {
  /** As `recorded-changes.ts` writes them, not decoded: most walks need the head alone. */
  readonly changesJson: Buffer;
  /** SHA-256 over the previous entry's hash and this entry, 32 bytes. */
  readonly hash: Uint8Array;
}

/** The ids under which a ledger indexes an entry: its project's and its target's, unless the ledger is theirs. */
export function auditSubjects({ ledgerId, projectId, targetId }: AuditHead): readonly string[] {
  const subjects = new Set([targetId, projectId ?? targetId]);
  subjects.delete(ledgerId);
  return [...subjects].filter(isIdShaped);
}
