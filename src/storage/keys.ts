/**
 * What lies where on disk: every named LMDB database with its key and value. A record is a format version, a checksum
 * and msgpack (`records/record-codec.ts`); «empty» is a value of no bytes. An id is 20 characters of latin1; a
 * sequence is 8 bytes, big-endian, counting from 1, and Unix milliseconds are stored alike; names are UTF-8, idempotency
 * keys 1 to 255 visible ASCII characters. Keys sort as bytes.
 *
 * | database                 | key                                   | value                                     |
 * |--------------------------|---------------------------------------|-------------------------------------------|
 * | `meta`                   | `store`                               | identity record: store id, store format   |
 * |                          | `change-log`, `outbox`                | counter record: the last sequence given   |
 * | `organisations`          | organisation id                       | organisation record                       |
 * | `members`                | member id                             | member record                             |
 * | `projects`               | project id                            | project record                            |
 * | `flags`                  | flag id                               | flag record                               |
 * | `flags-by-name`          | project id, name, 0x00, flag id       | empty                                     |
 * | `audiences`              | audience id                           | audience record                           |
 * | `audiences-by-project`   | project id, audience id               | empty                                     |
 * | `tokens`                 | token id                              | token record                              |
 * | `tokens-by-project`      | project id, token id                  | empty                                     |
 * | `tokens-by-secret-hash`  | SHA-256 of the secret, 32 bytes       | token id                                  |
 * | `audit`                  | ledger id, sequence within the ledger | audit record: entry and its chain hashes  |
 * | `change-log`             | sequence                              | change-log record                         |
 * | `activity`               | token id, sequence within the token   | activity record: a denial                 |
 * | `token-uses`             | token id, sequence within the token   | token-use record                          |
 * | `outbox`                 | sequence                              | outbox record                             |
 * | `members-by-email`       | email in lower case, 0x00, member id  | empty                                     |
 * | `sessions`               | session id                            | session record                            |
 * | `sessions-by-secret`     | SHA-256 of the secret, 32 bytes       | session id                                |
 * | `sessions-by-member`     | member id, session id                 | empty                                     |
 * | `links`                  | one-time link id                      | one-time link record                      |
 * | `links-by-secret`        | SHA-256 of the secret, 32 bytes       | one-time link id                          |
 * | `links-by-organisation`  | organisation id, one-time link id     | empty                                     |
 * | `identities`             | hex of SHA-256(issuer, 0x00, subject) | identity record                           |
 * | `identities-by-member`   | member id, the identity's key         | empty                                     |
 * | `evaluation-counts`      | ms of the hour's beginning, flag id   | evaluation-counts record                  |
 * | `outbox-deliveries`      | sequence of the outbox entry          | outbox-delivery record: what was tried    |
 * | `kept-answers`           | token id, idempotency key             | kept-answer record                        |
 * | `kept-answers-by-age`    | project id, ms, token id, its key     | its bytes toward the limit, as a sequence |
 * | `kept-answers-usage`     | project id                            | kept-answers usage record                 |
 *
 * The longest key is `flags-by-name`: 20 + 800 + 1 + 20 bytes (a name has at most 200 code points); lmdb takes 1978.
 * `members-by-email` comes close: 762 + 1 + 20 (an email has at most 254 UTF-16 code units, each 3 bytes at most).
 */
import { createHash } from 'node:crypto';
import { isIdempotencyKey } from '../domain/idempotency/idempotency-key.ts';
import { isIdShaped } from '../support/id-shape.ts';

export const databaseNames = [
  'meta',
  'organisations',
  'members',
  'projects',
  'flags',
  'flags-by-name',
  'audiences',
  'audiences-by-project',
  'tokens',
  'tokens-by-project',
  'tokens-by-secret-hash',
  'audit',
  'audit-by-subject',
  'change-log',
  'activity',
  'outbox',
  'members-by-email',
  'sessions',
  'sessions-by-secret',
  'sessions-by-member',
  'links',
  'links-by-secret',
  'links-by-organisation',
  'identities',
  'identities-by-member',
  'kept-answers',
  'kept-answers-by-age',
  'kept-answers-usage',
  'token-uses',
  'outbox-deliveries',
  'evaluation-counts',
] as const;
export type DatabaseName = (typeof databaseNames)[number];

/**
 * Databases that were added to the present format without a migration: the writer creates what is missing, and to whoever
 * reads a store that has not been opened for writing since, they are empty.
 */
export const laterDatabases: ReadonlySet<DatabaseName> = new Set([
  'audit-by-subject',
  'members-by-email',
  'sessions',
  'sessions-by-secret',
  'sessions-by-member',
  'links',
  'links-by-secret',
  'links-by-organisation',
  'identities',
  'identities-by-member',
  'kept-answers',
  'kept-answers-by-age',
  'kept-answers-usage',
  'token-uses',
  'outbox-deliveries',
  'evaluation-counts',
]);

const idBytes = 20;
export const secretHashBytes = 32;
export const sequenceBytes = 8;
const keptAnswerKeyStart = idBytes + sequenceBytes;
/** 200 code points of at most 4 bytes. */
const nameBytesMax = 800;

const nameEnd = Buffer.of(0);
/** Above every byte that may follow a prefix: UTF-8 and ids have none of 0xFF, a sequence begins with zeros. */
const aboveAll = Buffer.of(0xff);

export const metaKeys = {
  store: Buffer.from('store', 'latin1'),
  changeLog: Buffer.from('change-log', 'latin1'),
  outbox: Buffer.from('outbox', 'latin1'),
};

/** @throws RangeError when `id` is not an id: only what was made by `newId` is ever stored. */
export function idKey(id: string): Buffer {
  if (!isIdShaped(id)) throw new RangeError(`Not an id: ${JSON.stringify(id.slice(0, 64))}`);
  return Buffer.from(id, 'latin1');
}

export function sequenceKey(sequence: number): Buffer {
  const key = Buffer.allocUnsafe(sequenceBytes);
  key.writeUInt32BE(Math.floor(sequence / 2 ** 32), 0);
  key.writeUInt32BE(sequence % 2 ** 32, 4);
  return key;
}

/** A project's audience or token. */
export function ownedIdKey(ownerId: string, id: string): Buffer {
  return Buffer.concat([idKey(ownerId), idKey(id)]);
}

/** A ledger's audit entry, a token's activity row. */
export function ownedSequenceKey(ownerId: string, sequence: number): Buffer {
  return Buffer.concat([idKey(ownerId), sequenceKey(sequence)]);
}

/** An audit entry of the ledger that concerns a project, or is about a flag, a token, … */
export function auditSubjectKey(ledgerId: string, subjectId: string, sequence: number): Buffer {
  return Buffer.concat([ownedIdKey(ledgerId, subjectId), sequenceKey(sequence)]);
}

/** What a key of `audit-by-subject` consists of; null for what says from where on a ledger is indexed. */
export function readAuditSubjectKey(key: Buffer) {
  if (key.length !== 2 * idBytes + sequenceBytes) return null;
  const subjectId = key.toString('latin1', idBytes, 2 * idBytes);
  return { ledgerId: firstIdOf(key), subjectId, sequence: sequenceOf(key) };
}

/** A flag's answers in an hour: all of an hour lie together, and the oldest hour first. */
export function hourFlagKey(hour: number, flagId: string): Buffer {
  return Buffer.concat([sequenceKey(hour), idKey(flagId)]);
}

export function readHourFlagKey(key: Buffer): { readonly hour: number; readonly flagId: string } {
  return { hour: sequenceOf(key.subarray(0, sequenceBytes)), flagId: key.toString('latin1', sequenceBytes) };
}

/** @throws RangeError when no valid name looks like this: it is too long, or holds the character that ends a name. */
export function flagNameKey(projectId: string, name: string, flagId: string): Buffer {
  const prefix = flagNamePrefix(projectId, name);
  if (prefix === null) throw new RangeError('This flag name has no place in the index');
  return Buffer.concat([prefix, idKey(flagId)]);
}

function flagNamePrefix(projectId: string, name: string): Buffer | null {
  const nameBytes = Buffer.from(name, 'utf8');
  if (nameBytes.length > nameBytesMax || nameBytes.includes(0)) return null;
  return Buffer.concat([idKey(projectId), nameBytes, nameEnd]);
}

/** @throws RangeError when no valid email looks like this. */
export function memberEmailKey(email: string, memberId: string): Buffer {
  const prefix = memberEmailPrefix(email);
  if (prefix === null) throw new RangeError('This email has no place in the index');
  return Buffer.concat([prefix, idKey(memberId)]);
}

function memberEmailPrefix(email: string): Buffer | null {
  const bytes = Buffer.from(email.toLowerCase(), 'utf8');
  if (bytes.length === 0 || bytes.length > nameBytesMax || bytes.includes(0)) return null;
  return Buffer.concat([bytes, nameEnd]);
}

/** The keys of the members with this email, in whatever case; null when no member can have it. */
export function memberEmailRange(email: string): KeyRange | null {
  const prefix = memberEmailPrefix(email);
  return prefix === null ? null : { start: prefix, end: Buffer.concat([prefix, aboveAll]) };
}

/** Of fixed length, whatever a provider calls its people; hexadecimal, because no key that is a suffix may begin with 0xFF. */
export function identityKey(issuer: string, subject: string): Buffer {
  return Buffer.from(createHash('sha256').update(`${issuer}\0${subject}`, 'utf8').digest('hex'), 'latin1');
}

export function memberIdentityKey(memberId: string, key: Buffer): Buffer {
  return Buffer.concat([idKey(memberId), key]);
}

/** The identity's key, which ends its key by member. */
export function identityKeyOf(memberKey: Buffer): Buffer {
  return memberKey.subarray(idBytes);
}

/** @throws RangeError when `key` is no idempotency key: only what was checked is ever stored. */
export function keptAnswerKey(tokenId: string, key: string): Buffer {
  if (!isIdempotencyKey(key)) throw new RangeError('Not an idempotency key');
  return Buffer.concat([idKey(tokenId), Buffer.from(key, 'latin1')]);
}

export function keptAnswerAgeKey(projectId: string, keptAt: number, tokenId: string, key: string): Buffer {
  return Buffer.concat([idKey(projectId), sequenceKey(keptAt), keptAnswerKey(tokenId, key)]);
}

/** What a key by age consists of. */
export function readKeptAnswerAgeKey(key: Buffer) {
  const tokenEnd = keptAnswerKeyStart + idBytes;
  return {
    projectId: firstIdOf(key),
    keptAt: sequenceOf(key.subarray(idBytes, keptAnswerKeyStart)),
    tokenId: key.toString('latin1', keptAnswerKeyStart, tokenEnd),
    key: key.toString('latin1', tokenEnd),
  };
}

/** The record's key, which ends its key by age. */
export function keptAnswerKeyOf(ageKey: Buffer): Buffer {
  return ageKey.subarray(keptAnswerKeyStart);
}

export interface KeyRange {
  readonly start: Buffer;
  /** Exclusive. */
  readonly end: Buffer;
}

/** Every key that begins with the id: a project's flags, audiences, tokens; a ledger's or token's rows. */
export function rangeOf(ownerId: string): KeyRange {
  const prefix = idKey(ownerId);
  return { start: prefix, end: Buffer.concat([prefix, aboveAll]) };
}

/** A ledger's entries below `before`, which counts from 1; or those of them that the index has for one subject. */
export function auditRange(ledgerId: string, subjectId: string | null, before: number | null): KeyRange {
  const prefix = subjectId === null ? idKey(ledgerId) : ownedIdKey(ledgerId, subjectId);
  // The upper end of a range that is read backwards is included.
  const last = before === null ? aboveAll : sequenceKey(before - 1);
  return { start: prefix, end: Buffer.concat([prefix, last]) };
}

/** Every id after this one. */
export function idsAfter(id: string): Pick<KeyRange, 'start'> {
  return { start: Buffer.concat([idKey(id), Buffer.of(0)]) };
}

/** The keys of a project's flags of exactly this name; null when no flag can have it. */
export function flagNameRange(projectId: string, name: string): KeyRange | null {
  const prefix = flagNamePrefix(projectId, name);
  return prefix === null ? null : { start: prefix, end: Buffer.concat([prefix, aboveAll]) };
}

/** The id that ends a key: the flag of a name, the audience or token of a project. */
function lastIdOf(key: Buffer): string {
  return lastIdKeyOf(key).toString('latin1');
}

export function lastIdKeyOf(key: Buffer): Buffer {
  return key.subarray(-idBytes);
}

/** The id that begins a key: the project of a name, the ledger of an entry, the token of a row. */
export function firstIdOf(key: Buffer): string {
  return key.toString('latin1', 0, idBytes);
}

/** The sequence that ends a key. */
export function sequenceOf(key: Buffer): number {
  return key.readUInt32BE(key.length - 8) * 2 ** 32 + key.readUInt32BE(key.length - 4);
}

/** A key as people read it in a finding or an error. */
export function describeKey(key: Uint8Array): string {
  const bytes = Buffer.from(key);
  if (bytes.length === sequenceBytes) return String(sequenceOf(bytes));
  if (bytes.length === idBytes + sequenceBytes && bytes[idBytes] === 0)
    return `${firstIdOf(bytes)}/${sequenceOf(bytes)}`;
  if (bytes.length === 2 * idBytes + sequenceBytes && bytes[2 * idBytes] === 0) {
    return `${firstIdOf(bytes)}/${lastIdOf(bytes.subarray(0, 2 * idBytes))}/${sequenceOf(bytes)}`;
  }
  if (bytes.length === 2 * idBytes) return `${firstIdOf(bytes)}/${lastIdOf(bytes)}`;
  const text = bytes.toString('utf8').replaceAll('\0', '/');
  return /[\p{C}\ufffd]/u.test(text) ? bytes.toString('hex') : text;
}
