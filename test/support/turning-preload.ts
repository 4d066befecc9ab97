import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';

/*
 * Loaded with `--import` before Burgee's own code, in every thread. Each worker thread writes the number of turns of
 * its event loop to a file in the directory TURNS_DIRECTORY.
 */
if (!isMainThread) {
  const file = join(process.env['TURNS_DIRECTORY'] ?? '', String(threadId));
  let turns = 0;
  const tell = () => writeFileSync(file, String(turns));
  tell();
  setInterval(() => {
    turns += 1;
    tell();
  }, 50).unref();
}
