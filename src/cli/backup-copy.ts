import { copyStore } from '../storage/backup/copy-store.ts';
import type { StoreIdentity } from '../storage/tables/meta.ts';
import { endProcessNow } from '../support/end-process.ts';

/** What the process that copies a store says on its standard output, a line of JSON each. */
export type CopyLine =
  /** Before it begins; `bytes` is about what the copy will have. */
  | { readonly kind: 'plan'; readonly identity: StoreIdentity; readonly bytes: number }
  /** The last line of a copy that came to its end. */
  | { readonly kind: 'copied' }
  /** The store cannot be opened, or the copy not be written. */
  | { readonly kind: 'failed'; readonly message: string };

// Entry of the process that `burgee backup` starts: a damaged page may end it, and only it. When the command is gone, so
// is its end of this input, and the copy is of no use any more; its thread cannot be stopped in any other way.
function write(line: CopyLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

process.stdin.on('error', endProcessNow).on('end', endProcessNow).resume();
const [directory = '', file = ''] = process.argv.slice(2);
try {
  await copyStore(directory, file, ({ identity, bytes }) => write({ kind: 'plan', identity, bytes }));
  write({ kind: 'copied' });
} catch (fault) {
  write({ kind: 'failed', message: fault instanceof Error ? fault.message : String(fault) });
}
process.stdin.destroy();
