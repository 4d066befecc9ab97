import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { answerLoad } from '../load/load-program.ts';
import { PatchCounter, type PatchFigures } from './patch-figures.ts';
import type { SyncLoad } from './patch-loads.ts';

const page = Buffer.alloc(4096, 0x62);
/** The file is overwritten, as a store reuses its pages, so that the file system allocates nothing. */
const pages = 256;

async function runSyncs({ directory, seconds }: SyncLoad): Promise<PatchFigures> {
  const folder = mkdtempSync(join(directory, 'burgee-sync-'));
  const file = openSync(join(folder, 'pages'), 'w');
  try {
    writeSync(file, Buffer.alloc(page.length * pages));
    fdatasyncSync(file);
    const counter = new PatchCounter();
    const endAtMs = performance.now() + seconds * 1000;
    for (let count = 0; performance.now() < endAtMs; count += 1) {
      const beganAtMs = performance.now();
      writeSync(file, page, 0, page.length, (count % pages) * page.length);
      fdatasyncSync(file);
      counter.countChange(beganAtMs);
    }
    return counter.figures();
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

await answerLoad(runSyncs);
