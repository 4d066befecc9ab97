import { linkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dataFileOf } from '../../../src/storage/lmdb/environment.ts';
import { markerFileOf } from '../../../src/storage/store-identity.ts';
import type { Lifetime } from '../../support/lifetime.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** @returns a directory with a hard link to the same data file */
export function linkedDirectory(t: Lifetime, directory: string): string {
  const linked = join(temporaryDirectory(t), 'linked');
  mkdirSync(linked, { mode: 0o700 });
  for (const fileOf of [dataFileOf, markerFileOf]) linkSync(fileOf(directory), fileOf(linked));
  return linked;
}
