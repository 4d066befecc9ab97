import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { addressSpaceLeft } from '../support/address-space.ts';
import { type DatabaseName, databaseNames, laterDatabases } from './keys.ts';
import type { ReadOptions } from './read-view.ts';
import { noDirectory, StoreError } from './store-error.ts';

/** What lmdb 3.5.6 has at run time: its published types leave the options out. */
interface FastReads {
  getBinaryFast(key: Buffer, options: ReadOptions | undefined): Buffer | undefined;
}
export type Table = Database<Buffer, Buffer> & FastReads;
export type Tables = Readonly<Record<DatabaseName, Table>>;
export type Root = RootDatabase<Buffer, Buffer>;

export interface EnvironmentOptions {
  readonly directory: string;
  /** Address space to reserve, not disk: what the file may grow to. The same in every process. */
  readonly mapBytes: number;
  readonly isReadOnly: boolean;
}

const readingMapBytesMin = 2 ** 30;
/** Snapshots that are open at once, of all threads and processes: LMDB keeps a list of so many in its lock file. */
const readersMax = 512;
/** More than the store has, and than it is likely to get. */
const tablesMax = 64;
const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;

export function dataFileOf(directory: string): string {
  return join(directory, 'burgee.mdb');
}

/**
 * Address space enough for one snapshot that is read; a server beside it may go on growing the file.
 * @throws StoreError when the data file cannot be looked at, or the process may not have the address space
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
 * Opens the LMDB file. All threads of a process share one native environment, made by whoever opens it first; hence the
 * writer opens before the first reader does (after a read-only open it could not write), and a thread that closes
 * leaves the others' handles intact.
 *
 * - `overlappingSync: false`: the default shows a value before it is on disk.
 * - `permissionsMode` is read by lmdb's native part; its published types do not know it.
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
    maxDbs: tablesMax,
    mapSize: mapBytes,
    permissionsMode: 0o600,
    readOnly: isReadOnly,
  };
  return open<Buffer, Buffer>(options);
}

/**
 * Refuses to begin where a limit of address space would end the process by SIGSEGV, without a word.
 * @param bytes that will be reserved
 * @throws StoreError when they are more than the limit leaves
 */
export function requireAddressSpace(bytes: number): void {
  const left = addressSpaceLeft();
  if (left === null || left >= bytes) return;
  throw new StoreError(
    `This process may reserve ${inMebibytes(left)} MiB more of address space and needs ${inMebibytes(bytes)} MiB, which are ` +
      'hardly ever memory. Take the limit away (ulimit -v, LimitAS= of systemd); a server needs less with a smaller --map-bytes.',
  );
}

function inMebibytes(bytes: number): number {
  return Math.floor(bytes / 2 ** 20);
}

const emptyTree = {
  treeBranchPageCount: 0,
  treeLeafPageCount: 0,
  overflowPages: 0,
  entryCount: 0,
  pageSize: 0,
};

/** The reads of a table that the file does not have yet. */
const emptyTable = {
  get: () => undefined,
  getRange: () => [],
  getKeys: () => [],
  getKeysCount: () => 0,
  getStats: () => emptyTree,
} as unknown as Table;

/** @returns the table, or undefined when the file does not have it. Never creates one. */
export function findTable(root: Root, name: DatabaseName): Table | undefined {
  const options = { ...binary, name, create: false };
  return root.openDB<Buffer, Buffer>(options) as Table | undefined;
}

/** Opens the table, and creates it first if it is missing. */
export function createTable(root: Root, name: string): Table {
  return root.openDB<Buffer, Buffer>({ ...binary, name }) as Table;
}

export function createTables(root: Root): Tables {
  return tablesFrom((name) => createTable(root, name));
}

/**
 * @param later what is missing of these reads as empty.
 * @returns undefined when another table is missing: the file was never completed.
 */
export function findTables(
  root: Root,
  later: ReadonlySet<DatabaseName> = laterDatabases,
): Tables | undefined {
  const found = new Map<DatabaseName, Table>();
  for (const name of databaseNames) {
    const table = findTable(root, name) ?? (later.has(name) ? emptyTable : undefined);
    if (table === undefined) return undefined;
    found.set(name, table);
  }
  return tablesFrom((name) => found.get(name) as Table);
}

function tablesFrom(tableOf: (name: DatabaseName) => Table): Tables {
  return Object.fromEntries(databaseNames.map((name) => [name, tableOf(name)])) as unknown as Tables;
}
