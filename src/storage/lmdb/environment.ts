import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database as LmdbDatabase, open, type RootDatabase, type Transaction } from 'lmdb';
import { type DatabaseName, databaseNames } from '../keys.ts';
import { noDirectory, StoreError } from '../store-error.ts';

/**
 * The address space that this process may still reserve (`ulimit -v`, systemd's `LimitAS`). When a reservation fails,
 * Node and LMDB end the process by a signal.
 * @returns bytes; null without a limit, and when the kernel does not report it
 */
function addressSpaceLeft(): number | null {
  const limit = numberIn('/proc/self/limits', /^Max address space +(\d+) /m);
  const used = numberIn('/proc/self/status', /^VmSize:\s+(\d+) kB$/m);
  return limit === null || used === null ? null : Math.max(0, limit - used * 1024);
}

function numberIn(path: string, pattern: RegExp): number | null {
  try {
    const digits = pattern.exec(readFileSync(path, 'utf8'))?.[1];
    return digits === undefined ? null : Number(digits);
  } catch {
    return null;
  }
}

/** Passed to every lmdb read; undefined reads in the open write transaction. */
export interface ReadOptions {
  readonly transaction: Transaction;
}

/** Options of lmdb 3.5.6 that its published types lack. */
interface FastReads {
  getBinaryFast(key: Buffer, options: ReadOptions | undefined): Buffer | undefined;
}
export type Database = LmdbDatabase<Buffer, Buffer> & FastReads;
export type Databases = Readonly<Record<DatabaseName, Database>>;
export type Root = RootDatabase<Buffer, Buffer>;

export interface EnvironmentOptions {
  readonly directory: string;
  /** Address space to reserve, not disk: the largest size of the file. The same in every process. */
  readonly mapBytes: number;
  readonly isReadOnly: boolean;
}

const readingMapBytesMin = 2 ** 30;
/**
 * Read transactions of all threads and processes, also those that are kept for reuse: LMDB's lock file has a slot of 64
 * bytes for each. 256 workers keep up to three each, streams hold one more in each, and 128 are pinned.
 */
const readersMax = 2048;
/** More databases than the store has, or is likely to get. */
const databasesMax = 64;
const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;

export function dataFileOf(directory: string): string {
  return join(directory, 'burgee.mdb');
}

/**
 * Address space for one snapshot that is read while a server may grow the file.
 * @throws StoreError when the data file cannot be examined, or the process may not have the address space
 */
export function readingMapBytesOf(directory: string): number {
  const bytes = Math.max(readingMapBytesMin, 2 * dataFileBytes(directory));
  requireAddressSpace(bytes);
  return bytes;
}

function dataFileBytes(directory: string): number {
  const path = dataFileOf(directory);
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') throw new StoreError(noDirectory(directory), { cause: error });
    throw new StoreError(`${path} cannot be read: ${message}. Check its owner and permissions.`, {
      cause: error,
    });
  }
}

/**
 * Opens the LMDB file. All threads of a process share one native environment, made by the thread that opens it first.
 * So the writer opens before the first reader (after a read-only open it could not write), and a thread that closes
 * leaves the handles of the others intact.
 *
 * - `overlappingSync: false`: the default makes a value visible before it is on disk.
 * - `permissionsMode` is read by lmdb's native part; its published types do not have it.
 *
 * @throws Error of lmdb when the file is not an LMDB file of its format.
 */
export function openEnvironment({ directory, mapBytes, isReadOnly }: EnvironmentOptions): Root {
  const options = {
    ...binary,
    path: dataFileOf(directory),
    noSubdir: true,
    overlappingSync: false,
    maxReaders: readersMax,
    maxDbs: databasesMax,
    mapSize: mapBytes,
    permissionsMode: 0o600,
    readOnly: isReadOnly,
  };
  return open<Buffer, Buffer>(options);
}

/**
 * Refuses to open where a limit of address space would end the process by SIGSEGV without a message.
 * @param bytes that will be reserved
 * @throws StoreError when they are more than the limit leaves
 */
export function requireAddressSpace(bytes: number): void {
  const left = addressSpaceLeft();
  if (left === null || left >= bytes) return;
  throw new StoreError(
    `This process needs ${inMebibytes(bytes)} MiB of address space, and its limit leaves ${inMebibytes(left)} MiB. Little of it will be ` +
      'memory. Remove the limit (ulimit -v, LimitAS= of systemd), or give the server a smaller --map-bytes.',
  );
}

function inMebibytes(bytes: number): number {
  return Math.floor(bytes / 2 ** 20);
}

interface TreeStats {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly entryCount: number;
}

/** The result of lmdb's `getStats`, which its published types lack. */
export interface LmdbStats extends TreeStats {
  readonly root: TreeStats;
  readonly free: TreeStats;
  readonly lastPageNumber: number;
  readonly lastTxnId: number;
  readonly mapSize: number;
}

/** Opens a snapshot of its own, which `resetReadTxn` releases; within a write transaction, uses that transaction. */
export function statsOf(database: Database | Root): LmdbStats {
  return database.getStats() as LmdbStats;
}

/** Number of pages of a tree. */
export function treePages({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

export function isEmpty(database: Database): boolean {
  return database.getKeysCount({ limit: 1 }) === 0;
}

/** @returns the database, or undefined when the file does not have it. Never creates one. */
export function findDatabase(root: Root, name: DatabaseName): Database | undefined {
  const options = { ...binary, name, create: false };
  return root.openDB<Buffer, Buffer>(options) as Database | undefined;
}

/** Opens the database, and creates it first if it is missing. */
export function createDatabase(root: Root, name: string): Database {
  return root.openDB<Buffer, Buffer>({ ...binary, name }) as Database;
}

export function createDatabases(root: Root): Databases {
  return databasesFrom((name) => createDatabase(root, name));
}

/** @returns undefined when a database is missing: the file was never completed. */
export function findDatabases(root: Root): Databases | undefined {
  const found = new Map<DatabaseName, Database>();
  for (const name of databaseNames) {
    const database = findDatabase(root, name);
    if (database === undefined) return undefined;
    found.set(name, database);
  }
  return databasesFrom((name) => found.get(name) as Database);
}

function databasesFrom(databaseOf: (name: DatabaseName) => Database): Databases {
  return Object.fromEntries(databaseNames.map((name) => [name, databaseOf(name)])) as unknown as Databases;
}
