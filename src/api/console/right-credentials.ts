import type { Credential } from '../../contracts/console/step-bodies.ts';
import type { PasswordPort } from './password-port.ts';

/** An attempt checks so many hashes, however many members have the email: how long it takes tells nothing of them. */
export const checksPerAttempt = 3;

/**
 * Finds the members that a password signs in. Whoever knows the password of one of the first may learn of the others:
 * only then is the rest looked at, too.
 *
 * @param meant the members whose email was given; the reading of them has a bound.
 */
export async function rightCredentials(
  meant: readonly Credential[],
  password: string,
  desk: PasswordPort,
): Promise<readonly Credential[] | 'busy'> {
  const right: Credential[] = [];
  for (let from = 0; from === 0 || (from < meant.length && right.length > 0); from += checksPerAttempt) {
    const some = meant.slice(from, from + checksPerAttempt);
    const hashes = Array.from({ length: checksPerAttempt }, (_, at) => some[at]?.passwordHash ?? null);
    const checked = await desk.checkEach(hashes, password);
    if (checked === 'busy') return 'busy';
    right.push(...some.filter((_, at) => checked[at] === true));
  }
  return right;
}
