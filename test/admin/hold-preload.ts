import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';
import { beatCell, stateCells } from '../../src/worker/worker-protocol.ts';
import { heldSuffix, holdVariable } from './hold.ts';

/*
 * Loaded with `--import` into every thread of a server. It blocks a thread, like a hang, while a file of a directory
 * exists. The file `start` blocks threads before they begin; `writer` blocks the writer in its loop, and `worker` one
 * of the workers.
 */
const directory = process.env[holdVariable];
const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
const { add, wait } = Atomics;

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
  Atomics.add = ((array: Int32Array, index: number, value: number) => {
    const isBeat = array.length === stateCells && index === beatCell;
    if (isBeat && !existsSync(join(directory, `worker${heldSuffix}`))) holdWhile(directory, 'worker');
    return add(array, index, value);
  }) as typeof Atomics.add;
}
