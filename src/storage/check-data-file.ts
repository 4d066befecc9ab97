import { closeSync, openSync } from 'node:fs';
import { ContentCheck } from './content-check.ts';
import { DamagedRecordError } from './damaged-record-error.ts';
import type { DatabaseName } from './keys.ts';
import { checkHeads } from './pages/check-heads.ts';
import { checkPages, type TableSize } from './pages/check-pages.ts';
import { DamagedPagesError } from './pages/damaged-pages-error.ts';

export interface DataFileCheck {
  /** How many bytes of entries are read at most; of what lies beyond, only the pages that lead there. */
  readonly bytesMax: number;
  /** A marker says that the store has every database of this version. */
  readonly isComplete: boolean;
}

/** What has been: it only grows, and no answer of either API depends on it. */
const histories: ReadonlySet<string> = new Set<DatabaseName>(['audit', 'activity', 'outbox']);

/**
 * Checks a data file that nobody is writing, before lmdb maps it: every page that leads to others, and every entry of
 * the databases that answers depend on, if they are within the limit; if there is room for all, of all.
 *
 * @returns the first thing that does not hold; null when all does
 */
export function checkDataFile(path: string, { bytesMax, isComplete }: DataFileCheck): string | null {
  const descriptor = openSync(path, 'r');
  const content = new ContentCheck();
  try {
    let chosen: ReadonlySet<string> = new Set();
    const choose = (tables: readonly TableSize[]): ReadonlySet<string> => {
      if (isComplete) content.requireDatabases(tables.map(({ name }) => name));
      chosen = namesWithin(tables, bytesMax);
      return chosen;
    };
    checkPages(descriptor, checkHeads(descriptor), { choose, begin: (name) => content.begin(name) });
    if (chosen.size > 0) content.requireIndexes();
    return null;
  } catch (error) {
    if (error instanceof DamagedPagesError || error instanceof DamagedRecordError) return error.message;
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** All of them, all but the histories, or none. */
function namesWithin(tables: readonly TableSize[], bytesMax: number): ReadonlySet<string> {
  for (const some of [tables, tables.filter(({ name }) => !histories.has(name))]) {
    if (some.reduce((sum, { bytes }) => sum + bytes, 0) <= bytesMax)
      return new Set(some.map(({ name }) => name));
  }
  return new Set();
}
