import { randomFillSync } from 'node:crypto';

const rolls = new Uint32Array(1024);
let rollsUsed = rolls.length;

/** @returns a fresh random roll, unsigned 32 bits, from a pool of random bytes of the operating system. */
export function randomRoll(): number {
  if (rollsUsed === rolls.length) {
    randomFillSync(rolls);
    rollsUsed = 0;
  }
  return rolls[rollsUsed++] as number;
}
