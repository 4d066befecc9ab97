import { hash, hashSync, verify, verifySync } from '@node-rs/argon2';

/** OWASP's first choice for Argon2id, the library's default algorithm: 19 MiB, 2 passes, 1 lane. */
const argon2Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * The hash of a random password that was thrown away, made with the same options: checking against it takes as long as any other
 * check.
 */
export const decoyHash =
  '$argon2id$v=19$m=19456,t=2,p=1$ool5CB1VzE3rKMPPgBEtcw$jX6zn3QmC1ClLzStqGUWoOFtdBTjj21mPhExwlJUfmM';

/** Takes some tens of milliseconds of a processor, off the calling thread. @returns a PHC string */
export function hashPassword(password: string): Promise<string> {
  return hash(password, argon2Options);
}

/** @returns false also for a hash that this library cannot read. */
export async function isPasswordOf(passwordHash: string, password: string): Promise<boolean> {
  try {
    return await verify(passwordHash, password);
  } catch {
    return false;
  }
}

/** As `hashPassword`, on the calling thread. */
export function hashPasswordHere(password: string): string {
  return hashSync(password, argon2Options);
}

/** As `isPasswordOf`, on the calling thread. */
export function isPasswordHere(passwordHash: string, password: string): boolean {
  try {
    return verifySync(passwordHash, password);
  } catch {
    return false;
  }
}
