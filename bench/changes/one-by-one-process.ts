import type { Store } from '../../src/storage/store.ts';
import { answerLoad } from '../load/load-program.ts';
import type { ChangeableFlag } from './changing-flag.ts';
import { PatchCounter, type PatchFigures } from './patch-figures.ts';
import type { StoreLoad } from './patch-loads.ts';
import { openBenchStore, storePatch } from './stored-patch.ts';

/** Used alternately. */
const percentages = [97, 98] as const;

/** Patch number `count`, from 0. It cycles through the flags, and gives each a different percentage than the last time. */
function makeChange(store: Store, flags: readonly ChangeableFlag[], count: number): boolean {
  const flag = flags[count % flags.length] as ChangeableFlag;
  const percentage = percentages[Math.floor(count / flags.length) % percentages.length] as number;
  return storePatch(store, flag, percentage);
}

/** A queue of waiting changes, first come, first served. Each finished change is replaced by a new one. */
async function runOneByOne({ dataDir, flags, waiting, seconds }: StoreLoad): Promise<PatchFigures> {
  const store = openBenchStore(dataDir);
  // Not counted, because an earlier run may have left a flag with the first value.
  for (let count = 0; count < flags.length; count += 1) makeChange(store, flags, count);
  const counter = new PatchCounter();
  const beganAtMs = new Float64Array(waiting).fill(performance.now());
  const endAtMs = performance.now() + seconds * 1000;
  let count = 0;
  do {
    if (!makeChange(store, flags, flags.length + count)) throw new Error('a patch changed nothing');
    counter.countChange(beganAtMs[count % waiting] as number);
    beganAtMs[count % waiting] = performance.now();
    count += 1;
  } while (performance.now() < endAtMs);
  const figures = counter.figures();
  await store.close();
  return figures;
}

await answerLoad(runOneByOne);
