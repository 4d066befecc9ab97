import { copyStore } from '../storage/backup/copy-store.ts';
import { DamagedStoreError } from '../storage/store-error.ts';
import type { StoreIdentity } from '../storage/tables/meta.ts';
import { endProcessNow } from '../support/end-process.ts';
import { messageOf } from '../support/message-of.ts';

/** The lines, of JSON each, that the process which copies a store writes to its standard output. */
export type CopyLine =
  /** Before the copy begins; `bytes` is about the size that the copy will have. */
  | { readonly kind: 'plan'; readonly identity: StoreIdentity; readonly bytes: number }
  /** The last line of a complete copy. */
  | { readonly kind: 'copied' }
  /** The store cannot be opened, or the copy cannot be written. */
  | { readonly kind: 'failed'; readonly message: string; readonly isDamage: boolean };

// Entry of the process that `burgee backup` starts: a damaged page may end it, but not the command. When the command
// ends, so does this process' standard input, and the copy is not needed any more. LMDB's copying thread cannot be
// stopped, so the process exits.
function write(line: CopyLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function copy(directory: string, file: string): Promise<void> {
  try {
    await copyStore(directory, file, ({ identity, bytes }) => write({ kind: 'plan', identity, bytes }));
    write({ kind: 'copied' });
  } catch (fault) {
    write({ kind: 'failed', message: messageOf(fault), isDamage: fault instanceof DamagedStoreError });
  }
  process.stdin.destroy();
}

process.stdin.on('error', endProcessNow).on('end', endProcessNow).resume();
const [directory = '', file = ''] = process.argv.slice(2);
// Without top-level await: the bundle is made of scripts (decision 0073).
copy(directory, file).catch((fault: unknown) => {
  throw fault;
});
