import { claimDirectory } from '../../../src/storage/lmdb/claim.ts';

/** Claims the directory given as its argument, reports that, and holds the claim until it is killed. */
claimDirectory(process.argv[2] ?? '');
process.stdout.write('held\n');
process.stdin.resume();
