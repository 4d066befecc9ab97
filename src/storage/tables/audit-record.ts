import { hash } from 'node:crypto';
import type { Actor, AuditAction, AuditEntry, AuditHead } from '../../domain/audit/audit-entry.ts';
import { changesFromText, changesToText } from '../../domain/audit/recorded-changes.ts';
import {
  aboveAll,
  firstIdOf,
  idBytes,
  idKey,
  type KeyRange,
  ownedIdKey,
  sequenceBytes,
  sequenceKey,
  sequenceOf,
} from '../keys/key-parts.ts';
import { packRow, plain, recordOf } from '../records/record-codec.ts';
import { RowReader } from '../records/row-reader.ts';

/**
 * An audit entry in its ledger's chain: `hash` = SHA-256(`previousHash` + `encodedEntry`). The entry is stored as the
 * bytes that were hashed, so that a later version with another encoding can still verify the chain.
 */
export interface AuditRecord {
  /** 32 bytes; zeros before the first entry. */
  readonly previousHash: Uint8Array;
  readonly hash: Uint8Array;
  readonly encodedEntry: Uint8Array;
}

export const auditRecord = recordOf<AuditRecord>('audit', {
  previousHash: plain,
  hash: plain,
  encodedEntry: plain,
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
  address: string | null,
];

/** The place of the changes in a row. */
const changesItem = 12;

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
    it.address,
  ];
  return packRow(row);
}

export function decodeAuditEntry(encodedEntry: Uint8Array): AuditEntry {
  const { head, changesJson } = decodeAuditHead(encodedEntry);
  return { ...head, changes: changesFromText(changesJson) };
}

/**
 * The same as `decodeAuditEntry`, without decoding the changes.
 * @throws RangeError on bytes that `encodeAuditEntry` has not made
 */
export function decodeAuditHead(encodedEntry: Uint8Array): {
  readonly head: AuditHead;
  readonly changesJson: Buffer;
} {
  const reader = new RowReader(encodedEntry);
  const items = reader.enterArray();
  const row = Array.from({ length: changesItem }, () => reader.read()) as unknown as EntryRow;
  const changesJson = reader.passString();
  const requestId = reader.read() as EntryRow[13];
  const address = reader.read() as EntryRow[14];
  reader.pass(items - changesItem - 3);
  reader.requireEnd();
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
    requestId,
    address,
  };
  return { head, changesJson };
}

/** The previous hash of a ledger's first entry. */
export const chainStart: Uint8Array = new Uint8Array(32);

/** SHA-256 of the previous hash followed by the encoded entry. */
export function chainHash(previousHash: Uint8Array, encodedEntry: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([previousHash, encodedEntry]), 'buffer');
}

/** Index keys for an audit entry that belongs to a project, or is about a flag, a token, … */
export function auditSubjectKey(ledgerId: string, subjectId: string, sequence: number): Buffer {
  return Buffer.concat([ownedIdKey(ledgerId, subjectId), sequenceKey(sequence)]);
}

/** The parts of a key of `audit-by-subject`; null for another key. */
export function readAuditSubjectKey(key: Buffer) {
  if (key.length !== 2 * idBytes + sequenceBytes) return null;
  const subjectId = key.toString('latin1', idBytes, 2 * idBytes);
  return { ledgerId: firstIdOf(key), subjectId, sequence: sequenceOf(key) };
}

/** A ledger's entries below `before`, which counts from 1; with a subject, those that the index has for it. */
export function auditRange(ledgerId: string, subjectId: string | null, before: number | null): KeyRange {
  const prefix = subjectId === null ? idKey(ledgerId) : ownedIdKey(ledgerId, subjectId);
  // A range that is read backwards includes its upper end.
  const last = before === null ? aboveAll : sequenceKey(before - 1);
  return { start: prefix, end: Buffer.concat([prefix, last]) };
}

/** A head takes half a kilobyte, and up to 2 KB more for the piece of its row from which its strings were cut. */
const headsMax = 1000;

/**
 * The heads of entries that were read recently. A committed entry never changes, but a large one takes milliseconds to
 * read, and each page that watches a project asks for the newest ones after each commit.
 */
export class AuditHeads {
  readonly #heads = new Map<string, AuditHead>();

  find(ledgerId: string, sequence: number): AuditHead | undefined {
    return this.#heads.get(nameOf(ledgerId, sequence));
  }

  /** The head that was added first is dropped for a new one. */
  add(sequence: number, head: AuditHead): void {
    if (this.#heads.size === headsMax) {
      const [first] = this.#heads.keys();
      if (first !== undefined) this.#heads.delete(first);
    }
    this.#heads.set(nameOf(head.ledgerId, sequence), head);
  }
}

function nameOf(ledgerId: string, sequence: number): string {
  return `${ledgerId}/${sequence}`;
}
