import { hasAtMostCodePoints, isWellFormed } from '../../support/code-points.ts';
import { deny } from '../console/console-problem.ts';

const passwordCharsMin = 12;
/** Hashing a password costs the same whatever its length; the bound is for what is sent and held. */
const passwordCharsMax = 1024;

/** @returns what is wrong with a new password, or null. Nothing is asked of it but its length. */
export function passwordProblem(password: string): string | null {
  const isLong = !hasAtMostCodePoints(password, passwordCharsMin - 1);
  if (isLong && hasAtMostCodePoints(password, passwordCharsMax) && isWellFormed(password)) return null;
  return `password must be ${passwordCharsMin} to ${passwordCharsMax} characters`;
}

const detail =
  'No member signs in with this email and password. Check both; an Admin of your organisation can make you a sign-in link.';

/** One answer for an unknown email, for a member without a password and for a wrong one. */
export function wrongCredentials() {
  return deny('wrong-credentials', detail);
}
