import { newId } from '../support/random-id.ts';
import { type DataFileState, inspectDataFile } from './data-file.ts';
import type { Root, Tables } from './environment.ts';
import { createTable, createTables, dataFileOf, findTables, openEnvironment } from './environment.ts';
import { metaKeys } from './keys.ts';
import { readMarker, writeMarker } from './marker-file.ts';
import { identityRecord, type StoreIdentity, storeFormat } from './records/identity-record.ts';
import { createDirectory, removeDataFile } from './store-directory.ts';
import { StoreError } from './store-error.ts';
import { identify } from './store-identity.ts';

export interface StoreOptions {
  readonly directory: string;
  /** Address space to reserve for the data file, in bytes: what it may grow to. The same for every opener. */
  readonly mapBytes: number;
  /** How many change-log entries are kept; 65,536 when absent. Only the writer needs it. */
  readonly changeLogEntriesMax?: number;
}

export interface OpenedStore {
  readonly root: Root;
  readonly tables: Tables;
  readonly identity: StoreIdentity;
}

/**
 * Opens the store for its one writer, and creates it where there is none. The steps of a creation, each durable before
 * the next: directory, identity within the data file, tables, marker. A crash between them leaves what the next opening
 * takes up; whatever a creation cannot have left is refused, and nothing in it is touched.
 *
 * The caller holds the claim on the directory (`claim.ts`).
 * @throws StoreError
 */
export function openForWriting(options: StoreOptions): OpenedStore {
  const { directory } = options;
  createDirectory(directory);
  const marker = readMarker(directory);
  const state = stateOf(directory);
  requireUsable(directory, state, marker !== null);
  if (state === 'blank') removeDataFile(directory);
  return withRoot(options, false, (root) => {
    const identity = identify(root, directory, marker) ?? createIdentity(root);
    const tables = createTables(root);
    if (marker === null) writeMarker(directory, identity);
    return { root, tables, identity };
  });
}

/** Opens a store that is there, read-only. @throws StoreError */
export function openForReading(options: StoreOptions): OpenedStore {
  const { directory } = options;
  const marker = readMarker(directory);
  const state = stateOf(directory);
  requireUsable(directory, state, marker !== null);
  if (state === 'missing' || state === 'blank') throw new StoreError(noStore(directory));
  return withRoot(options, true, (root) => {
    const identity = identify(root, directory, marker);
    const tables = findTables(root);
    if (identity === null || tables === undefined) throw new StoreError(noStore(directory));
    return { root, tables, identity };
  });
}

function noStore(directory: string): string {
  return `There is no store in ${directory} yet: \`burgee serve\` or \`burgee apply\` creates one.`;
}

/** @param isExpected a marker says that a store was completed here. */
function requireUsable(directory: string, state: DataFileState, isExpected: boolean): void {
  if (state === 'usable' || (!isExpected && (state === 'missing' || state === 'blank'))) return;
  const path = dataFileOf(directory);
  if (state === 'foreign' && !isExpected) {
    throw new StoreError(
      `${path} is not a data file of Burgee, and nothing was changed in it. Move it away, or choose another directory.`,
    );
  }
  const wrong = { missing: 'missing', blank: 'empty', foreign: 'not an LMDB file', truncated: 'truncated' }[
    state
  ];
  throw new StoreError(
    `${path} is ${wrong}, though a store was created here. Restore the directory from a backup. To begin with an ` +
      'empty store instead, choose another directory.',
  );
}

function withRoot(
  { directory, mapBytes }: StoreOptions,
  isReadOnly: boolean,
  complete: (root: Root) => OpenedStore,
): OpenedStore {
  const root = openRoot(directory, mapBytes, isReadOnly);
  try {
    return complete(root);
  } catch (error) {
    // Nothing is under way in it, so this closes before it returns.
    void root.close();
    throw error;
  }
}

function stateOf(directory: string): DataFileState {
  try {
    return inspectDataFile(dataFileOf(directory));
  } catch (error) {
    throw unreadable(directory, error);
  }
}

function openRoot(directory: string, mapBytes: number, isReadOnly: boolean): Root {
  try {
    return openEnvironment({ directory, mapBytes, isReadOnly });
  } catch (error) {
    throw unreadable(directory, error);
  }
}

function unreadable(directory: string, error: unknown): StoreError {
  return new StoreError(
    `${dataFileOf(directory)} cannot be opened: ${(error as Error).message}. Check its owner and permissions; if it is ` +
      'damaged, restore the directory from a backup.',
    { cause: error },
  );
}

function createIdentity(root: Root): StoreIdentity {
  const identity = { id: newId(), format: storeFormat };
  const meta = createTable(root, 'meta');
  root.transactionSync(() => {
    meta.putSync(metaKeys.store, identityRecord.encode(metaKeys.store, identity));
  });
  return identity;
}
