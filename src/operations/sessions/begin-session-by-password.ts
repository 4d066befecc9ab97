import { succeed } from '../../domain/outcome.ts';
import { wrongCredentials } from '../../domain/session/password.ts';
import { anybody, type ConsoleRequest, writeStep } from '../operation.ts';
import { openSession } from './open-session.ts';
import type { BeginSession } from './step-bodies.ts';

/** The end of a sign-in: the password was checked against a hash, which must still be the member's. */
export const beginSessionByPassword = writeStep(
  'begin-session-by-password',
  anybody,
  (queries, request: ConsoleRequest<BeginSession>, principal, context) => {
    const { memberId, passwordHash } = request.body;
    const member = queries.member(memberId);
    if (member === undefined || member.passwordHash !== passwordHash) return wrongCredentials();
    const way = { method: 'password', link: null } as const;
    const { changes, begun } = openSession(queries, member, way, request, principal, context);
    return succeed({ changes, reply: { value: begun } });
  },
);
