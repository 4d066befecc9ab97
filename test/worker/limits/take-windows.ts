import { WindowLimiter, type WindowMemory } from '../../../src/worker/limits/window-limiter.ts';
import { inThread, meet } from '../../support/run-threads.ts';

export interface WindowTaking {
  readonly memory: WindowMemory;
  readonly limit: number;
  readonly windowMs: number;
  readonly keys: readonly string[];
  readonly attempts: number;
  /** The number of windows, one after another; the threads wait for one another in between. */
  readonly windows: number;
  readonly meetings: SharedArrayBuffer;
  readonly threads: number;
  /** One in so many is given back; 0 means none. */
  readonly giveBackEvery: number;
}

/** Takes from each key in turn. The result: how many it has kept, by window and key. */
inThread((task: WindowTaking): readonly (readonly number[])[] => {
  const { memory, limit, windowMs, keys, attempts, windows, meetings, threads, giveBackEvery } = task;
  let now = 1;
  const limiter = new WindowLimiter(memory, limit, { windowMs, now: () => now });
  const kept: number[][] = [];
  let taken = 0;
  for (let window = 0; window < windows; window += 1) {
    const counts = keys.map(() => 0);
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const key = attempt % keys.length;
      if (!limiter.take(keys[key] as string)) continue;
      taken += 1;
      if (giveBackEvery > 0 && taken % giveBackEvery === 0) limiter.giveBack(keys[key] as string);
      else counts[key] = (counts[key] as number) + 1;
    }
    kept.push(counts);
    meet(new Int32Array(meetings, 4 * window, 1), threads);
    now += windowMs;
  }
  return kept;
});
