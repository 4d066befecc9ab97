import { copyStore } from '../storage/backup/copy-store.ts';
import { endProcessNow } from '../support/end-process.ts';
import type { CopyLine } from './backup-copy-protocol.ts';

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
