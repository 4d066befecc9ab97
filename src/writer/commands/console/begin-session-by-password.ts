import type { PublicCommand } from '../../../contracts/console/public-handler.ts';
import type { BeginSession } from '../../../contracts/console/step-bodies.ts';
import { allow } from '../../../domain/console/console-problem.ts';
import { wrongCredentials } from '../../../domain/session/wrong-credentials.ts';
import { openSession } from './open-session.ts';

/** The end of a sign-in: the password was checked against a hash, and that hash must still be the member's. */
export const beginSessionByPassword: PublicCommand<BeginSession> = (queries, request, principal, context) => {
  const { memberId, passwordHash } = request.body;
  const member = queries.member(memberId);
  if (member === undefined || member.passwordHash !== passwordHash) return wrongCredentials();
  const { changes, begun } = openSession(queries, memberId, request, principal, context);
  return allow({ changes, reply: { value: begun } });
};
