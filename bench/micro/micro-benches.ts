import { compileBench } from './compile.bench.ts';
import { decodeQueryBench } from './decode-query.bench.ts';
import { decodeRecordBench } from './decode-record.bench.ts';
import { encodeRecordBench } from './encode-record.bench.ts';
import { evaluateBench } from './evaluate.bench.ts';
import { hashBench } from './hash.bench.ts';
import type { MicroBench } from './micro-bench.ts';

/**
 * In the order of a request: its query, the flag that it misses in the cache, its answer; then what a change stores.
 */
export const microBenches: readonly MicroBench[] = [
  hashBench,
  decodeQueryBench,
  decodeRecordBench,
  compileBench,
  evaluateBench,
  encodeRecordBench,
];
