import { quotaDayOf, quotaEntryOf } from '../../domain/organisation/write-quota.ts';
import { accountOf } from '../../domain/project/project.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { ProjectRecords } from '../../domain/record-queries.ts';
import type { UsedSignIn } from '../../domain/session/used-sign-in.ts';
import { isIdShaped } from '../../support/id-shape.ts';
import { decodeOrDamage, type Entry, type Finding, findingAt, type StoreWalk } from '../check/store-walk.ts';
import { idKey, secretHashBytes, sequenceBytes, sequenceKey } from '../keys/key-parts.ts';
import type { RecordSource } from '../record-source.ts';
import { plain, type RecordCodec, recordOf, recordOfValue } from '../records/record-codec.ts';
import { DamagedRecordError } from '../store-error.ts';
import type { WriteTarget } from '../write-target.ts';
import { memberRecord } from './members.ts';
import { projectRecord } from './projects.ts';
import type { Table } from './table.ts';

/** The identity of the store. The marker file next to the data file has the same. */
export interface StoreIdentity {
  readonly id: string;
  /** Version of the layout in `keys.ts`. */
  readonly format: number;
}

/** The layout that this version reads and writes. A store of another format is refused: raise it with each change. */
export const storeFormat = 1;

export const identityRecord = recordOf<StoreIdentity>('meta', { id: plain, format: plain });

/** The last number of a sequence whose entries may all be deleted. */
export const counterRecord = recordOfValue<number>('meta');

/** Bytes that the changes of one day have written to a ledger's organisation or personal project. */
interface WrittenBytes {
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly bytes: number;
}

export const writtenBytesRecord = recordOf<WrittenBytes>('meta', { day: plain, bytes: plain });

/** The flags of a project, and the bytes of the records of its flags and audiences (`project-records.ts`). */
export const projectRecordsRecord = recordOf<ProjectRecords>('meta', { flags: plain, bytes: plain });

/** The newest dropped entry of a ledger: the oldest kept one continues the chain from it. */
export interface AuditAnchor {
  readonly sequence: number;
  /** 32 bytes. */
  readonly hash: Uint8Array;
}

export const auditAnchorRecord = recordOf<AuditAnchor>('meta', { sequence: plain, hash: plain });

/** The position of a cluster's node in the cluster's log. Only a replica has it. */
export interface ReplicaPlace {
  /** Of the newest row of the log that was applied here. */
  readonly position: number;
  /** That row's link in the log's chain: 32 bytes. */
  readonly checksum: Uint8Array;
}

export const replicaPlaceRecord = recordOf<ReplicaPlace>('meta', { position: plain, checksum: plain });

/** The id under which a node of a cluster reports its usage. Only a replica has it. */
export const usageIdRecord = recordOfValue<string>('meta');

/** The secret that sign-ins at an OpenID provider are sealed with, on every node. */
const signInKeyRecord = recordOfValue<string>('meta');

/**
 * The history that the numbers of changes belong to (`environment-versions.ts`): a random id. A restore begins another
 * history, because numbers are then given again.
 */
export const historyRecord = recordOfValue<string>('meta');

export const metaKeys = {
  store: Buffer.from('store', 'latin1'),
  history: Buffer.from('history', 'latin1'),
  /** The number of the last change: on all nodes of a cluster the same. */
  changes: Buffer.from('changes', 'latin1'),
  changeLog: Buffer.from('change-log', 'latin1'),
  outbox: Buffer.from('outbox', 'latin1'),
  replica: Buffer.from('replica', 'latin1'),
  /** It exists while a replica has taken over another past and has not begun another history since. Its value has no meaning. */
  anotherPast: Buffer.from('another-past', 'latin1'),
  usage: Buffer.from('usage', 'latin1'),
  signInKey: Buffer.from('sign-in-key', 'latin1'),
};
const writtenBytesPrefix = Buffer.from('written/', 'latin1');
const projectRecordsPrefix = Buffer.from('project-records/', 'latin1');
const auditAnchorPrefix = Buffer.from('audit-anchor/', 'latin1');
const usedSignInPrefix = Buffer.from('used-sign-in/', 'latin1');
/** Used sign-ins that one change forgets. */
const forgottenMax = 50;

/** Key of the written bytes. @param holderId the holder of the quota, as `accountOf` says it */
export function writtenBytesKey(holderId: string): Buffer {
  return Buffer.concat([writtenBytesPrefix, idKey(holderId)]);
}

/** Key of the size of a project's flags and audiences. */
export function projectRecordsKey(projectId: string): Buffer {
  return Buffer.concat([projectRecordsPrefix, idKey(projectId)]);
}

/** @returns the project id of such a key; null for another key */
export function projectOfRecordsKey(key: Buffer): string | null {
  if (!isIdAfter(projectRecordsPrefix, key)) return null;
  return key.toString('latin1', projectRecordsPrefix.length);
}

/** Key of the newest dropped entry of a ledger. */
export function auditAnchorKey(ledgerId: string): Buffer {
  return Buffer.concat([auditAnchorPrefix, idKey(ledgerId)]);
}

/** Key of a used sign-in, by the time at which it began: the old ones come first. Its record has no meaning. */
function usedSignInKey({ begunAt, stateHash }: UsedSignIn): Buffer {
  return Buffer.concat([usedSignInPrefix, sequenceKey(begunAt), stateHash]);
}

function noteUsedSignIn(target: WriteTarget, signIn: UsedSignIn, forgetBefore: number): void {
  const old = { start: usedSignInPrefix, end: Buffer.concat([usedSignInPrefix, sequenceKey(forgetBefore)]) };
  for (const key of [...target.source.keys('meta', { ...old, limit: forgottenMax })])
    target.remove('meta', key);
  target.put(counterRecord, usedSignInKey(signIn), signIn.begunAt);
}

/** @returns null for an unknown key */
function knownCodecOf(key: Uint8Array): RecordCodec<unknown> | null {
  const { store, history, changes, changeLog, outbox, replica, anotherPast, usage, signInKey } = metaKeys;
  if (store.equals(key)) return identityRecord;
  if (history.equals(key)) return historyRecord;
  if (replica.equals(key)) return replicaPlaceRecord;
  if (usage.equals(key)) return usageIdRecord;
  if (signInKey.equals(key)) return signInKeyRecord;
  if (isUsedSignIn(key)) return counterRecord;
  if ([changes, changeLog, outbox, anotherPast].some((counter) => counter.equals(key))) return counterRecord;
  if (isIdAfter(writtenBytesPrefix, key)) return writtenBytesRecord;
  if (isIdAfter(projectRecordsPrefix, key)) return projectRecordsRecord;
  return isIdAfter(auditAnchorPrefix, key) ? auditAnchorRecord : null;
}

function isUsedSignIn(key: Uint8Array): boolean {
  const isPrefixed = usedSignInPrefix.equals(key.subarray(0, usedSignInPrefix.length));
  return isPrefixed && key.length === usedSignInPrefix.length + sequenceBytes + secretHashBytes;
}

function isIdAfter(prefix: Buffer, key: Uint8Array): boolean {
  const isPrefixed = prefix.equals(key.subarray(0, prefix.length));
  return isPrefixed && isIdShaped(Buffer.from(key.subarray(prefix.length)).toString('latin1'));
}

function codecOf(key: Uint8Array): RecordCodec<unknown> {
  return knownCodecOf(key) ?? counterRecord;
}

/** The identity, the counters, the bytes written on a day, the newest dropped audit entries, and what sign-ins need. */
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
  answers: {
    signInKey: ({ source }) => source.find(signInKeyRecord, metaKeys.signInKey),
    isSignInUsed: ({ source }, signIn) => source.findBytes('meta', usedSignInKey(signIn)) !== undefined,
  },
  writes: {
    'sign-in-key': (target, { key }) => target.put(signInKeyRecord, metaKeys.signInKey, key),
    'used-sign-in': (target, { signIn, forgetBefore }) => noteUsedSignIn(target, signIn, forgetBefore),
  },
  check: checkMeta,
} satisfies Table;

/** @returns the holder of the ledger's quota: the organisation, also for personal projects of its members */
function holderOf(source: RecordSource, ledgerId: string): string {
  const project = source.find(projectRecord, idKey(ledgerId));
  return project === undefined
    ? ledgerId
    : accountOf(project, (memberId) => source.find(memberRecord, idKey(memberId)));
}

/** @returns how many bytes members and tokens have written on the day to everything that shares the ledger's quota */
export function writtenBytesOn(source: RecordSource, ledgerId: string, day: number): number {
  return writtenBy(source, holderOf(source, ledgerId), day);
}

function writtenBy(source: RecordSource, holderId: string, day: number): number {
  const written = source.find(writtenBytesRecord, writtenBytesKey(holderId));
  return written?.day === day ? written.bytes : 0;
}

/**
 * Counts the bytes of changes in the transaction that writes them, so that no crash returns a quota. The record is
 * with the counters that most commits write anyway; there is one for each organisation, and one for all members without
 * one.
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

/** The identity, the counters and the written bytes are readable, and there is nothing else. */
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
