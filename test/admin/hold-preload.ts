import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';
import { heldSuffix, holdVariable } from './hold.ts';

/*
 * Loaded with `--import` into every thread of a server: a worker stands still, as one that hangs does, for as long as a
 * file of a directory exists. `start`: before it begins; `writer`, `evaluator`: in its loop.
 */
const directory = process.env[holdVariable];
const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const { wait } = Atomics;

function holdWhile(directory: string, name: string): void {
  const file = join(directory, name);
  if (!existsSync(file)) return;
  writeFileSync(`${file}${heldSuffix}`, '');
  while (existsSync(file)) wait(cell, 0, 0, 10);
}

if (!isMainThread && directory !== undefined) {
  holdWhile(directory, 'start');
  const isWriter = typeof workerData === 'object' && workerData !== null && 'operatorPort' in workerData;
  if (isWriter) setInterval(() => holdWhile(directory, 'writer'), 10).unref();
  // Evaluators sleep by this call, once a second at least.
  Atomics.wait = ((...given: Parameters<typeof wait>) => {
    holdWhile(directory, 'evaluator');
    return wait(...given);
  }) as typeof wait;
}
