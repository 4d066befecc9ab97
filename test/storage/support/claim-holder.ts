import { claimDirectory } from '../../../src/storage/lmdb/claim.ts';

/** Claims the directory named as its argument, says so, and holds it until it is killed. */
claimDirectory(process.argv[2] ?? '');
process.stdout.write('held\n');
process.stdin.resume();
