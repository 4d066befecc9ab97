import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isIdShaped } from '../../support/id-shape.ts';
import type { StoreIdentity } from '../records/identity-record.ts';
import { StoreError } from '../store-error.ts';

/**
 * `backup.json` makes a directory a backup: it is written last, when everything else in it is on disk. Without it there
 * is nothing to restore from; with it nothing opens the directory for writing.
 */
export interface BackupManifest {
  readonly storeId: string;
  readonly format: number;
  /** Unix milliseconds; every change that was acknowledged before is in the backup. */
  readonly takenAt: number;
  /** Of the data file. */
  readonly bytes: number;
  /** Of the data file, hexadecimal. */
  readonly sha256: string;
  /** LMDB's number of the newest commit in the data file. */
  readonly commit: number;
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
  throw new StoreError(`${path} is damaged. Use another backup.`);
}

/** On disk when it returns; its entry in the directory is not yet. */
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
    const { storeId, sha256, ...numbers } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const { format, takenAt, bytes, commit } = numbers;
    if (typeof storeId !== 'string' || !isIdShaped(storeId)) return null;
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return null;
    if (!isCount(format) || format < 1 || !isCount(takenAt) || !isCount(bytes) || !isCount(commit))
      return null;
    return { storeId, format, takenAt, bytes, sha256, commit };
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
