import { chmodSync, constants, copyFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { timeInName } from '../../support/time-in-name.ts';
import { checksumOf, completeCopy, readManifest, writeManifest } from '../backup/backup-manifest.ts';
import { beginDirectory, isMountPoint } from '../backup/partial-directory.ts';
import { commitIn } from '../lmdb/data-file.ts';
import { dataFileOf } from '../lmdb/environment.ts';
import { StoreError } from '../store-error.ts';
import type { StoreIdentity } from '../tables/meta.ts';

/**
 * Copies the data file to a backup beside the data directory, or in it if that is a mounted volume or the backup cannot
 * be made beside it. Its opener holds the claim, so nobody writes, and the file is its own snapshot. The copy is
 * verified by its checksum, because the present rules do not apply to older records.
 *
 * A backup of the same state from an earlier attempt is reused: a migration that fails at every start must not fill the
 * disk.
 *
 * @returns its path. @throws StoreError
 */
export function backupBeforeMigration(directory: string, identity: StoreIdentity): string {
  const beside = `${resolve(directory)}-format-${identity.format}-`;
  const inside = join(resolve(directory), `format-${identity.format}-`);
  const found = [beside, inside].flatMap((prefix) => findMade(prefix, directory, identity))[0];
  if (found !== undefined) return found;
  const name = timeInName(Date.now());
  // What is beside a mounted volume may be lost with the container.
  if (isMountPoint(directory)) return makeBackup(`${inside}${name}`, directory, identity);
  try {
    return makeBackup(`${beside}${name}`, directory, identity);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return makeBackup(`${inside}${name}`, directory, identity);
  }
}

function makeBackup(target: string, directory: string, identity: StoreIdentity): string {
  const takenAt = Date.now();
  const partial = beginDirectory(target, '.partial');
  try {
    const [from, to] = [dataFileOf(directory), dataFileOf(partial.path)];
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    chmodSync(to, 0o600);
    const manifest = completeCopy(partial.path, identity, takenAt);
    if (checksumOf(from).sha256 !== manifest.sha256) {
      throw new StoreError(
        `The backup before the migration to ${target} is not what was copied. Start again.`,
      );
    }
    writeManifest(partial.path, manifest);
    partial.finish();
    return target;
  } finally {
    partial.abandon();
  }
}

function findMade(prefix: string, directory: string, { id }: StoreIdentity): string[] {
  const parent = dirname(prefix);
  const commit = commitIn(dataFileOf(directory));
  const candidates = namesIn(parent).filter((name) => name.startsWith(basename(prefix)));
  return candidates
    .map((name) => join(parent, name))
    .filter((path) => {
      const manifest = readManifest(path);
      return manifest !== null && manifest.storeId === id && manifest.commit === commit;
    });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // The parent may be traversable but not readable: then another backup is made.
    return [];
  }
}

/** Nothing can be created in the parent directory. */
function isRefusal(error: unknown): boolean {
  const codes: unknown[] = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC'];
  const cause = error instanceof StoreError ? error.cause : error;
  return codes.includes((cause as NodeJS.ErrnoException | undefined)?.code);
}
