import { FilePlace } from '../support/file-place.ts';
import { newId } from '../support/random-id.ts';
import {
  createDatabases,
  type Databases,
  dataFileOf,
  findDatabase,
  findDatabases,
  openEnvironment,
  type Root,
} from './lmdb/environment.ts';
import { dropLockFile, makeLockFileForOwner, requireLockFile, shareLockFile } from './lmdb/lock-file.ts';
import { openThroughGate, WritersGate } from './lmdb/opening-gate.ts';
import { dataFileState, requireServable, requireUsable, requireWhole, unreadable } from './opening-checks.ts';
import { createDirectory } from './store-directory.ts';
import { DamagedRecordError, DataFileMovedError, StoreError } from './store-error.ts';
import { createIdentity, identify, readMarkedHistory, readMarker, writeMarker } from './store-identity.ts';
import { historyRecord, metaKeys, type StoreIdentity } from './tables/meta.ts';

/**
 * Only the log of its cluster may write to a replica, and no cluster may write to a store that is served alone.
 * @throws StoreError
 */
function requireOwnMode(
  root: Root,
  { id }: StoreIdentity,
  directory: string,
  replica: { readonly storeId: string | null } | undefined,
): void {
  const meta = findDatabase(root, 'meta');
  const isReplica = meta?.get(metaKeys.replica) !== undefined;
  root.resetReadTxn();
  if (replica === undefined && isReplica) throw new StoreError(replicaAlone(directory));
  if (replica === undefined || replica.storeId === null || replica.storeId === id) return;
  throw new StoreError(
    `${directory} holds store ${id}, and the cluster has store ${replica.storeId}. Give the node a directory of its own ` +
      'with --data-dir, or make a cluster of this store with `burgee cluster create`.',
  );
}

function replicaAlone(directory: string): string {
  return (
    `${directory} is the replica of a cluster's node: what is changed here alone would be lost. Serve it with ` +
    'BURGEE_CLUSTER_URL, and change it through a node that runs; or take it out of the cluster with `burgee cluster leave`.'
  );
}

/**
 * Makes sure that a store that is served alone has a history, and that it is its own: after `burgee restore`, after its data
 * file was copied to another directory, and after it was part of a cluster, it begins a new one. A snapshot of the whole disk
 * holds the mark as well and looks like a restart, so the operator who restores one deletes `store.json`. A crash at any
 * point leaves the old history or a new one.
 * @param marked the history noted in `store.json` when the store was served last
 * @returns the history, to be noted there
 */
function keepHistory(root: Root, { meta }: Databases, marked: string | null): string {
  const stored = meta.get(metaKeys.history);
  root.resetReadTxn();
  const known = stored === undefined ? null : readHistory(stored);
  if (known !== null && known === marked) return known;
  const history = newId();
  root.transactionSync(() => {
    meta.putSync(metaKeys.history, historyRecord.encode(metaKeys.history, history));
  });
  return history;
}

function readHistory(bytes: Buffer): string | null {
  try {
    return historyRecord.decode(metaKeys.history, bytes);
  } catch (error) {
    if (error instanceof DamagedRecordError) return null;
    throw error;
  }
}

export interface StoreOptions {
  readonly directory: string;
  /** Address space to reserve for the data file, in bytes: its largest size. The same for every opener. */
  readonly mapBytes: number;
  /** How many change-log entries are kept; 65,536 by default. Only the writer needs it. */
  readonly changeLogEntriesMax?: number;
  /** How often a write looks for readers whose process has died; 10 seconds by default. Only the writer needs it. */
  readonly deadReadersEveryMs?: number;
  /** The memory of a `StoreVersion`, with which readers in other threads learn of commits. Only the writer needs it. */
  readonly storeVersion?: SharedArrayBuffer;
  /**
   * The memory of a `FilePlace`: the writer notes there which file it has opened, and readers of the same process open
   * no other one.
   */
  readonly dataFilePlace?: SharedArrayBuffer;
  /**
   * The most bytes of the data file that are read and verified before it is opened; 32 MiB by default. Only the writer
   * does it.
   */
  readonly startCheckBytes?: number;
  /** Only for the writer of a cluster's node. */
  readonly replica?: ReplicaOptions;
}

/** How a cluster's node opens its store. */
export interface ReplicaOptions {
  /** Of the cluster's store: a new directory becomes a part of it. Null where that is not known: then it must be one. */
  readonly storeId: string | null;
}

export interface OpenedStore {
  readonly root: Root;
  readonly databases: Databases;
  readonly identity: StoreIdentity;
}

export interface ReadableStore extends OpenedStore {
  /** Call it when no transaction is open: then the file is closed before this returns. */
  close(): Promise<void>;
}

export interface WritableStore extends OpenedStore {
  /** The data file, noted when it was opened. */
  readonly place: FilePlace;
  /** Every transaction passes through it. It is closed after the file. */
  readonly gate: WritersGate;
}

/**
 * Opens the store for its one writer, and creates it if there is none. The steps of a creation, each durable before the
 * next, are: directory, identity within the data file, databases, marker. After a crash between them, the next opening
 * completes the creation. A state that no creation can have left is refused, and nothing is changed.
 *
 * The caller holds the claim on the directory (`lmdb/claim.ts`); the claim on the data file is taken here.
 * @throws StoreError
 */
export function openForWriting(options: StoreOptions): WritableStore {
  const { directory } = options;
  createDirectory(directory);
  const marker = readMarker(directory);
  const state = dataFileState(directory);
  requireUsable(directory, state, marker !== null);
  requireServable(directory, state);
  return withGate(directory, (gate) => {
    if (state === 'usable') requireWhole(options, marker !== null);
    else beginEmpty(directory, gate);
    const place = new FilePlace(dataFileOf(directory), options.dataFilePlace);
    return withRoot(openRoot(options, false), (root) => {
      gate.keepLockFile(directory);
      place.note();
      if (!gate.isInPlace()) throw new StoreError(exchanged(directory));
      return gate.within(() => {
        const identity =
          identify(root, directory, marker) ?? createIdentity(root, options.replica?.storeId ?? newId());
        requireOwnMode(root, identity, directory, options.replica);
        const databases = createDatabases(root);
        const marked = marker === null ? null : readMarkedHistory(directory);
        // A node's history is its cluster's.
        const history = options.replica === undefined ? keepHistory(root, databases, marked) : marked;
        if (marker === null || marked !== history) writeMarker(directory, identity, history);
        return { root, databases, identity, place, gate };
      });
    });
  });
}

/** Checks once more: before the gate existed, another process could have created a store. */
function beginEmpty(directory: string, gate: WritersGate): void {
  if (dataFileState(directory) !== 'blank') throw new StoreError(exchanged(directory));
  gate.empty();
  dropLockFile(directory);
}

function exchanged(directory: string): string {
  return `${dataFileOf(directory)} was exchanged while it was opened. Nothing was changed in it: try again.`;
}

/** Opens an existing store, read-only. @throws StoreError */
export function openForReading(options: StoreOptions): ReadableStore {
  const { directory, dataFilePlace } = options;
  const place = dataFilePlace === undefined ? null : new FilePlace(dataFileOf(directory), dataFilePlace);
  if (place !== null) requireKept(place, directory);
  const marker = readMarker(directory);
  const state = dataFileState(directory);
  requireUsable(directory, state, marker !== null);
  if (state === 'missing' || state === 'blank') throw new StoreError(noStore(directory));
  // With a place, the environment is the process' own already: lmdb opens nothing again.
  const opened = place === null ? openBesideWriter(options) : openInProcess(options);
  return withRoot(opened, ({ root, close }) => {
    const identity = identify(root, directory, marker);
    const databases = findDatabases(root);
    if (identity === null) throw new StoreError(noStore(directory));
    if (databases === undefined) throw new StoreError(incomplete(directory));
    // Checked again, because it was opened meanwhile.
    if (place !== null) requireKept(place, directory);
    return { root, databases, identity, close };
  });
}

/** @throws DataFileMovedError when the data file that was opened is no longer at its path. */
export function requireKept(place: FilePlace, directory: string): void {
  const fault = place.fault();
  if (fault !== null) throw new DataFileMovedError(dataFileOf(directory), fault);
}

function noStore(directory: string): string {
  return `There is no store in ${directory} yet: \`burgee serve\` or \`burgee apply\` creates one.`;
}

function incomplete(directory: string): string {
  return `The store in ${directory} lacks tables: its creation was cut short. \`burgee serve\` completes it.`;
}

function withRoot<Closable extends Pick<Root, 'close'>, Opened>(
  root: Closable,
  complete: (root: Closable) => Opened,
): Opened {
  try {
    return complete(root);
  } catch (error) {
    // No transaction is open, so this closes before it returns.
    void root.close();
    throw error;
  }
}

/** @param complete its result keeps the gate: the gate is closed only when this fails. */
function withGate<Opened>(directory: string, complete: (gate: WritersGate) => Opened): Opened {
  const gate = openGate(directory);
  try {
    return complete(gate);
  } catch (error) {
    gate.close();
    throw error;
  }
}

function openGate(directory: string): WritersGate {
  try {
    return new WritersGate(dataFileOf(directory));
  } catch (error) {
    throw error instanceof StoreError ? error : unreadable(directory, error);
  }
}

function openRoot({ directory, mapBytes }: StoreOptions, isReadOnly: boolean): Root {
  try {
    makeLockFileForOwner(directory);
    requireLockFile(directory);
    return openEnvironment({ directory, mapBytes, isReadOnly });
  } catch (error) {
    throw unreadable(directory, error);
  }
}

type Reading = Pick<ReadableStore, 'root' | 'close'>;

function openInProcess(options: StoreOptions): Reading {
  const root = openRoot(options, true);
  return { root, close: () => root.close() };
}

/** A server may be writing to it. */
function openBesideWriter(options: StoreOptions): Reading {
  const { directory } = options;
  try {
    return openThroughGate(dataFileOf(directory), () =>
      withRoot(openRoot(options, true), (root) => {
        const endUse = shareLockFile(directory);
        return { root, close: () => root.close().finally(endUse) };
      }),
    );
  } catch (error) {
    throw error instanceof StoreError ? error : unreadable(directory, error);
  }
}
