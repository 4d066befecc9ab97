import { checkStore } from '../../src/storage/check.ts';

/** What `burgee check` does in a process of its own. @throws with the first thing that does not hold */
export function expectSoundStore(dataDir: string): void {
  for (const { where, what } of checkStore(dataDir)) throw new Error(`the check finds ${where}: ${what}`);
}
