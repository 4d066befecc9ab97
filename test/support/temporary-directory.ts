import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lifetime } from './lifetime.ts';

/**
 * @param parent of the directory
 * @returns a new empty directory, which is removed when the test ends
 */
export function temporaryDirectory(t: Lifetime, parent = tmpdir()): string {
  const directory = mkdtempSync(join(parent, 'burgee-test-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
