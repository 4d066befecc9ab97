import { deny } from '../console/console-problem.ts';

const detail =
  'No member signs in with this email and password. Check both; an Admin of your organisation can make you a sign-in link.';

/** One answer for an unknown email, for a member without a password and for a wrong one. */
export function wrongCredentials() {
  return deny('wrong-credentials', detail);
}
