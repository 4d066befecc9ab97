import { readStatistics } from '../../src/storage/store-statistics.ts';

/** @returns bytes of pages that hold something. Freed ones are used again before the file grows. */
export function storedBytes(dataDir: string): number {
  const { usedPages, pageBytes } = readStatistics(dataDir);
  return usedPages * pageBytes;
}
