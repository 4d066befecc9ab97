import type { Finding } from '../storage/check/store-walk.ts';
import { checkStore } from '../storage/check.ts';
import { DamagedStoreError, StoreError } from '../storage/store-error.ts';

/** The lines, of JSON each, that the process which walks a store writes to its standard output. */
export type WalkLine =
  | { readonly kind: 'finding'; readonly finding: Finding }
  /** The last line of a complete walk. */
  | { readonly kind: 'walked'; readonly counts: Readonly<Record<string, number>> }
  /** The store cannot be opened. */
  | { readonly kind: 'refused'; readonly message: string; readonly isDamage: boolean };

// Entry of the process that `burgee check` starts: a damaged page may end it, but not the command.
function write(line: WalkLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

try {
  const walk = checkStore(process.argv[2] ?? '');
  for (;;) {
    const step = walk.next();
    if (step.done === true) {
      write({ kind: 'walked', counts: Object.fromEntries(step.value) });
      break;
    }
    write({ kind: 'finding', finding: step.value });
  }
} catch (fault) {
  if (!(fault instanceof StoreError)) throw fault;
  write({ kind: 'refused', message: fault.message, isDamage: fault instanceof DamagedStoreError });
}
