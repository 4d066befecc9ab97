import { createHash, hash } from 'node:crypto';
import { assert } from '../../support/assert.ts';
import type { RowOf } from '../../support/row-of.ts';
import { type DatabaseName, databaseNames } from '../keys.ts';
import { packRow, unpackRow } from '../records/record-codec.ts';
import type { EntryWrite, LoggedChange } from '../write-target.ts';

/** Bytes as in every node's store, so that replicas are equal by construction. */
export type ReplicaRow = RowOf<Buffer>;

/** The content of a row: entries that were put or removed, and what followers drop from their caches. */
export interface RowContent {
  readonly writes: readonly EntryWrite[];
  readonly logged: readonly LoggedChange[];
}

/** A row that a newer version wrote: its node must be upgraded before it follows further. */
export class NewerRowError extends Error {
  override readonly name = 'NewerRowError';
}

/** The format of `changes`. A change of it gets the next number. */
const contentFormat = 1;

/** The format of the records that this version writes, and the newest that it reads. Raise it with `storeFormat`. */
export const recordsFormat = 1;

/**
 * | item | what                                                                            |
 * |------|---------------------------------------------------------------------------------|
 * | 0    | the format of this row                                                            |
 * | 1    | names of databases                                                              |
 * | 2    | writes: place of the name, key, value or null, place of the next name, …        |
 * | 3    | change-log entries: kind, project id, id, environment or null, the next kind, … |
 */
export function encodeContent({ writes, logged }: RowContent): Buffer {
  const names = [...new Set(writes.map(({ database }) => database))];
  const places = new Map(names.map((name, place) => [name, place]));
  const flatWrites = writes.flatMap(({ database, key, value }) => [places.get(database) ?? 0, key, value]);
  const flatLogged = logged.flatMap(({ kind, projectId, id, environment }) => [
    kind,
    projectId,
    id,
    environment,
  ]);
  return packRow([contentFormat, names, flatWrites, flatLogged]);
}

/**
 * @throws NewerRowError when this version does not know the format, or a database of it
 * @throws RangeError on bytes that `encodeContent` has not made
 */
export function decodeContent(bytes: Uint8Array): RowContent {
  const [format, names, flatWrites, flatLogged] = unpackRow(bytes) as unknown as [
    number,
    string[],
    (number | Uint8Array | null)[],
    (string | null)[],
  ];
  if (format > contentFormat)
    throw new NewerRowError(`the row has format ${format}, this version knows ${contentFormat}`);
  const known = names.map(knownDatabase);
  return { writes: writesOf(known, flatWrites), logged: loggedOf(flatLogged) };
}

function knownDatabase(name: string): DatabaseName {
  const known = databaseNames.find((database) => database === name);
  if (known === undefined)
    throw new NewerRowError(`the row has entries of ${name}, which this version does not know`);
  return known;
}

function writesOf(
  names: readonly DatabaseName[],
  flat: readonly (number | Uint8Array | null)[],
): EntryWrite[] {
  assert(flat.length % 3 === 0, 'a write of a log row has a database, a key and a value');
  return Array.from({ length: flat.length / 3 }, (_, index) => {
    const [place, key, value] = flat.slice(index * 3, index * 3 + 3) as [
      number,
      Uint8Array,
      Uint8Array | null,
    ];
    const database = names[place];
    if (database === undefined) throw new RangeError(`a write of the row names database ${place}`);
    return { database, key: Buffer.from(key), value: value === null ? null : Buffer.from(value) };
  });
}

function loggedOf(flat: readonly (string | null)[]): LoggedChange[] {
  assert(flat.length % 4 === 0, 'a change of a log row has a kind, a project, an id and an environment');
  return Array.from({ length: flat.length / 4 }, (_, index) => {
    const [kind, projectId, id, environment] = flat.slice(index * 4, index * 4 + 4);
    return { kind, projectId, id, environment } as LoggedChange;
  });
}

/** @returns the row's link in the chain: 32 bytes */
export function chainChecksum(previous: Uint8Array, row: Omit<ReplicaRow, 'checksum'>): Buffer {
  const { position, node, batch, format, changes } = row;
  return createHash('sha256')
    .update(previous)
    .update(`${position} ${node} ${batch} ${format} ${changes.length} `)
    .update(changes)
    .digest();
}

/** The checksum with which a chain begins, at position 1. Each created cluster has its own. */
export function firstChecksum(seed: Uint8Array): Buffer {
  return hash('sha256', seed, 'buffer');
}
