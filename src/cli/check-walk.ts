import { checkStore } from '../storage/check.ts';
import { StoreError } from '../storage/store-error.ts';
import type { WalkLine } from './check-walk-protocol.ts';

// Entry of the process that `burgee check` starts: a damaged page may end it, and only it.
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
  write({ kind: 'refused', message: fault.message });
}
