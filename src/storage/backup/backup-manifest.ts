import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isIdShaped } from '../../support/id-shape.ts';
import { commitIn } from '../lmdb/data-file.ts';
import { dataFileOf } from '../lmdb/environment.ts';
import { DamagedStoreError, StoreError } from '../store-error.ts';
import { writeMarker } from '../store-identity.ts';
import type { StoreIdentity } from '../tables/meta.ts';

/**
 * `backup.json` makes a directory a backup: it is written last, when everything else is on disk. A directory without it
 * cannot be restored from; a directory with it is never opened for writing.
 */
export interface BackupManifest {
  readonly storeId: string;
  readonly format: number;
  /** Unix milliseconds. Every change that was acknowledged before is in the backup. */
  readonly takenAt: number;
  /** Of the data file. */
  readonly bytes: number;
  /** SHA-256 of the data file, hexadecimal. */
  readonly sha256: string;
  /** LMDB's number of the newest commit in the data file. */
  readonly commit: number;
  /** The store's position in the log of its cluster; absent if the store follows none. */
  readonly replica?: ManifestPlace;
}

interface ManifestPlace {
  readonly position: number;
  /** The chain's checksum at the position, hexadecimal. */
  readonly checksum: string;
}

export function manifestFileOf(directory: string): string {
  return join(directory, 'backup.json');
}

/** @returns null when the directory is not a backup. @throws StoreError when the manifest cannot be understood. */
export function readManifest(directory: string): BackupManifest | null {
  const path = manifestFileOf(directory);
  const text = readIfPresent(path);
  if (text === null) return null;
  const manifest = parseManifest(text);
  if (manifest !== null) return manifest;
  throw new DamagedStoreError(`${path} is damaged. Use another backup.`);
}

/** On disk when it returns; its directory entry is not yet. */
export function writeManifest(directory: string, manifest: BackupManifest): void {
  const text = `${JSON.stringify(manifest)}\n`;
  writeFileSync(manifestFileOf(directory), text, { mode: 0o600, flush: true });
}

export function identityIn({ storeId, format }: BackupManifest): StoreIdentity {
  return { id: storeId, format };
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new StoreError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function parseManifest(text: string): BackupManifest | null {
  try {
    const { storeId, sha256, replica, ...numbers } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const { format, takenAt, bytes, commit } = numbers;
    if (typeof storeId !== 'string' || !isIdShaped(storeId)) return null;
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return null;
    if (!isCount(format) || format < 1 || !isCount(takenAt) || !isCount(bytes) || !isCount(commit))
      return null;
    const manifest = { storeId, format, takenAt, bytes, sha256, commit };
    if (replica === undefined) return manifest;
    return isPlace(replica) ? { ...manifest, replica } : null;
  } catch {
    return null;
  }
}

function isPlace(value: unknown): value is ManifestPlace {
  const { position, checksum } = Object(value) as Partial<ManifestPlace>;
  return isCount(position) && typeof checksum === 'string' && /^[0-9a-f]{64}$/.test(checksum);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/**
 * Completes a copied data file: syncs it, and writes the marker of its store.
 * @param takenAt before the copy began.
 * @returns the content of its manifest.
 */
export function completeCopy(directory: string, identity: StoreIdentity, takenAt: number): BackupManifest {
  const path = dataFileOf(directory);
  syncFile(path);
  writeMarker(directory, identity);
  const commit = commitIn(path);
  if (commit === null) throw new StoreError(`${path} is not a data file: the copy failed. Try again.`);
  return { storeId: identity.id, format: identity.format, takenAt, ...checksumOf(path), commit };
}

export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

interface FileChecksum {
  readonly bytes: number;
  /** SHA-256, hexadecimal. */
  readonly sha256: string;
}

const chunkBytes = 2 ** 20;

/** Reads the whole file in chunks. Blocks on the disk, so it must not run in a thread that serves requests. */
export function checksumOf(path: string): FileChecksum {
  const descriptor = openSync(path, 'r');
  try {
    const sum = createHash('sha256');
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let bytes = 0;
    for (;;) {
      const read = readSync(descriptor, chunk);
      if (read === 0) return { bytes, sha256: sum.digest('hex') };
      sum.update(chunk.subarray(0, read));
      bytes += read;
    }
  } finally {
    closeSync(descriptor);
  }
}
