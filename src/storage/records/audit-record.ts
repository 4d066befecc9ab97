import { hash } from 'node:crypto';
import type { Actor, AuditAction, AuditEntry, AuditHead } from '../../domain/audit/audit-entry.ts';
import { changesFromText, changesToText } from '../../domain/audit/changes-text.ts';
import { packRow, recordCodec, unpackRow } from './record-codec.ts';

/**
 * An audit entry in its ledger's chain: `hash` = SHA-256(`previousHash` + `encodedEntry`). The entry is kept as the
 * bytes that were hashed, so that the chain can be verified whatever a later version would encode.
 */
export interface AuditRecord {
  /** 32 bytes; zeros before the first entry. */
  readonly previousHash: Uint8Array;
  readonly hash: Uint8Array;
  readonly encodedEntry: Uint8Array;
}

type AuditRow = readonly [previousHash: Uint8Array, hash: Uint8Array, encodedEntry: Uint8Array];

export const auditRecord = recordCodec<AuditRecord, AuditRow>({
  database: 'audit',
  version: 1,
  toRow: (it) => [it.previousHash, it.hash, it.encodedEntry],
  fromRow: ([previousHash, hash, encodedEntry]) => ({ previousHash, hash, encodedEntry }),
});

type EntryRow = readonly [
  version: 1,
  id: string,
  ledgerId: string,
  projectId: string | null,
  at: number,
  actorKind: Actor['kind'],
  actorId: string,
  actorName: string,
  action: AuditAction,
  targetId: string,
  targetName: string,
  environment: string | null,
  changes: string,
  requestId: string | null,
];

export function encodeAuditEntry(it: AuditEntry): Buffer {
  const { kind, id, name } = it.actor;
  const changes = changesToText(it.changes, (text) => hash('sha256', text));
  const head = [1, it.id, it.ledgerId, it.projectId, it.at, kind, id, name] as const;
  const row: EntryRow = [
    ...head,
    it.action,
    it.targetId,
    it.targetName,
    it.environment,
    changes,
    it.requestId,
  ];
  return packRow(row);
}

export function decodeAuditEntry(encodedEntry: Uint8Array): AuditEntry {
  const { head, changesText } = decodeAuditHead(encodedEntry);
  return { ...head, changes: changesFromText(changesText) };
}

/** As `decodeAuditEntry`, without the work of reading the changes, which may be megabytes. */
export function decodeAuditHead(encodedEntry: Uint8Array): {
  readonly head: AuditHead;
  readonly changesText: string;
} {
  const row = unpackRow(encodedEntry) as unknown as EntryRow;
  const head = {
    id: row[1],
    ledgerId: row[2],
    projectId: row[3],
    at: row[4],
    actor: { kind: row[5], id: row[6], name: row[7] },
    action: row[8],
    targetId: row[9],
    targetName: row[10],
    environment: row[11],
    requestId: row[13],
  };
  return { head, changesText: row[12] };
}
