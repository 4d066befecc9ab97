import type { Lifetime } from '../../support/lifetime.ts';
import type { Random } from '../../support/random.ts';

/** One case of a kind of misuse. @returns how many attempts it made. @throws on a violation */
export type Misuse = (t: Lifetime, random: Random) => Promise<number>;
