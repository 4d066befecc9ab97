import { checkStore } from '../../src/storage/check.ts';

/** Runs the checks of `burgee check` in this process. @throws with the first problem */
export function expectSoundStore(dataDir: string): void {
  for (const { where, what } of checkStore(dataDir)) throw new Error(`the check finds ${where}: ${what}`);
}
