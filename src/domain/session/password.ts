import { hasAtMostCodePoints, isWellFormed } from '../../support/code-points.ts';

const passwordCharsMin = 12;
/** Hashing a password costs the same whatever its length; the bound is for what is sent and held. */
const passwordCharsMax = 1024;

/** @returns what is wrong with a new password, or null. Nothing is asked of it but its length. */
export function passwordProblem(password: string): string | null {
  const isLong = !hasAtMostCodePoints(password, passwordCharsMin - 1);
  if (isLong && hasAtMostCodePoints(password, passwordCharsMax) && isWellFormed(password)) return null;
  return `password must be ${passwordCharsMin} to ${passwordCharsMax} characters`;
}
