import { quotaDayOf, quotaEntryOf } from '../../domain/organisation/write-quota.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { decodeOrDamage, type Entry, type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { idKey } from '../keys/key-parts.ts';
import type { RecordSource } from '../record-source.ts';
import { type RecordCodec, recordCodec } from '../records/record-codec.ts';
import { DamagedRecordError } from '../store-error.ts';
import type { WriteTarget } from '../write-target.ts';
import { projectRecord } from './projects.ts';
import type { Table } from './table.ts';

/** Which store this is. The marker file beside the data file says the same. */
export interface StoreIdentity {
  readonly id: string;
  /** Of the layout in `keys.ts`. */
  readonly format: number;
}

/** The layout of the first stores; `migrations/` leads from it to the present one. */
export const firstFormat = 1;

/** The layout that this version reads and writes. */
export const storeFormat: number = 1;

export const identityRecord = recordCodec({
  database: 'meta',
  version: 1,
  toRow: (it: StoreIdentity) => [it.id, it.format],
  fromRow: ([id, format]) => ({ id, format }),
});

/** The last number given in a sequence whose entries may all be gone. */
export const counterRecord = recordCodec({
  database: 'meta',
  version: 1,
  toRow: (last: number) => [last],
  fromRow: ([last]) => last,
});

/** What the changes of one day have written to a ledger's organisation or personal project. */
interface WrittenBytes {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly bytes: number;
}

export const writtenBytesRecord = recordCodec({
  database: 'meta',
  version: 1,
  toRow: (it: WrittenBytes) => [it.day, it.bytes],
  fromRow: ([day, bytes]) => ({ day, bytes }),
});

/** The newest entry of a ledger that was dropped: the oldest one that is kept continues the chain from it. */
export interface AuditAnchor {
  readonly sequence: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

export const auditAnchorRecord = recordCodec({
  database: 'meta',
  version: 1,
  toRow: (it: AuditAnchor) => [it.sequence, it.hash],
  fromRow: ([sequence, hash]) => ({ sequence, hash }),
});

export const metaKeys = {
  store: Buffer.from('store', 'latin1'),
  changeLog: Buffer.from('change-log', 'latin1'),
  outbox: Buffer.from('outbox', 'latin1'),
};
const writtenBytesPrefix = Buffer.from('written/', 'latin1');
const auditAnchorPrefix = Buffer.from('audit-anchor/', 'latin1');

/** Of what was written. @param holderId whose quota it is: an organisation, or the owner of personal projects */
export function writtenBytesKey(holderId: string): Buffer {
  return Buffer.concat([writtenBytesPrefix, idKey(holderId)]);
}

/** Of what was dropped of a ledger. */
export function auditAnchorKey(ledgerId: string): Buffer {
  return Buffer.concat([auditAnchorPrefix, idKey(ledgerId)]);
}

/** @returns null for a key that is not known here */
function knownCodecOf(key: Uint8Array): RecordCodec<unknown> | null {
  const { store, changeLog, outbox } = metaKeys;
  if (store.equals(key)) return identityRecord;
  if (changeLog.equals(key) || outbox.equals(key)) return counterRecord;
  if (isIdAfter(writtenBytesPrefix, key)) return writtenBytesRecord;
  return isIdAfter(auditAnchorPrefix, key) ? auditAnchorRecord : null;
}

function isIdAfter(prefix: Buffer, key: Uint8Array): boolean {
  const isPrefixed = prefix.equals(key.subarray(0, prefix.length));
  return isPrefixed && isIdShaped(Buffer.from(key.subarray(prefix.length)).toString('latin1'));
}

function codecOf(key: Uint8Array): RecordCodec<unknown> {
  return knownCodecOf(key) ?? counterRecord;
}

/** The identity, the counters, what was written on a day, and what was dropped of the audit log. */
export const metaTable = {
  kinds: [
    {
      codec: {
        database: 'meta',
        encode: (key, record) => codecOf(key).encode(key, record),
        decode: (key, bytes) => codecOf(key).decode(key, bytes),
        verify: (key, bytes) => codecOf(key).verify(key, bytes),
      },
      indexes: [],
    },
  ],
  answers: {},
  writes: {},
  check: checkMeta,
} satisfies Table;

/** Personal projects count together, for their owner: a member may have many. @returns whose quota the ledger's is */
function holderOf(source: RecordSource, ledgerId: string): string {
  return source.find(projectRecord, idKey(ledgerId))?.ownerMemberId ?? ledgerId;
}

/** @returns how many bytes members and tokens have written on the day, to all that has one quota with the ledger */
export function writtenBytesOn(source: RecordSource, ledgerId: string, day: number): number {
  return writtenBy(source, holderOf(source, ledgerId), day);
}

function writtenBy(source: RecordSource, holderId: string, day: number): number {
  const written = source.find(writtenBytesRecord, writtenBytesKey(holderId));
  return written?.day === day ? written.bytes : 0;
}

/**
 * Counts what changes have written, in the transaction that writes it: no crash gives it anew. It lies beside the counters
 * that most commits write anyway, and one record is kept for each organisation and each owner of personal projects.
 */
export function countWrittenBytes(
  target: WriteTarget,
  changes: readonly RecordChange[],
  bytes: number,
): void {
  const entry = quotaEntryOf(changes);
  if (entry === null) return;
  const { ledgerId, at } = entry;
  const day = quotaDayOf(at);
  const holderId = holderOf(target.source, ledgerId);
  const before = writtenBy(target.source, holderId, day);
  target.put(writtenBytesRecord, writtenBytesKey(holderId), { day, bytes: before + bytes });
}

/** The identity, the counters and what was written can be read, and there is nothing else. */
function* checkMeta(walk: StoreWalk): Generator<Finding> {
  yield* walk.entries('meta', function* (entry) {
    const what = wrongWith(entry);
    if (what !== null) yield findingAt('meta', entry.key, what);
  });
}

function wrongWith(entry: Entry): string | null {
  const codec = knownCodecOf(entry.key);
  if (codec === null) return 'is not known here';
  const decoded = decodeOrDamage(codec, entry);
  return decoded instanceof DamagedRecordError ? decoded.what : null;
}
