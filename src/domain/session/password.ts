import { hasAtMostCodePoints, isWellFormed } from '../../support/code-points.ts';
import { passwordCharsMax, passwordCharsMin } from '../bounds.ts';
import { refuse } from '../outcome.ts';

/** @returns the problem of a new password, or null. Its length is the only rule. */
export function passwordProblem(password: string): string | null {
  const isLong = !hasAtMostCodePoints(password, passwordCharsMin - 1);
  if (isLong && hasAtMostCodePoints(password, passwordCharsMax) && isWellFormed(password)) return null;
  return `password must be ${passwordCharsMin} to ${passwordCharsMax} characters`;
}

const detail = 'Check both, or ask an Admin of your organisation for a sign-in link.';

/** An unknown email, a member without a password and a wrong password get the same answer. */
export function wrongCredentials() {
  return refuse('wrong-credentials', detail);
}
