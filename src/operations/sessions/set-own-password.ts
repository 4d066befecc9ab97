import type { Member } from '../../domain/member/member.ts';
import { refuse, succeed } from '../../domain/outcome.ts';
import { withdrawSignInLinks } from '../../domain/session/link-rules.ts';
import { endSessions } from '../../domain/session/session-changes.ts';
import { ownEntry, passwordChange } from '../audit-entries.ts';
import { type ConsoleRequest, signedIn, writeStep } from '../operation.ts';
import type { SetOwnPassword } from './step-bodies.ts';

const movedMeanwhile = 'The password was changed meanwhile. Try again with the new one.';

/** Sets the member's own password. All other sessions of the member end, and so do links that sign the member in. */
export const setOwnPassword = writeStep(
  'set-own-password',
  signedIn,
  (queries, request: ConsoleRequest<SetOwnPassword>, principal, context) => {
    const { member: before, session } = principal;
    const { checkedHash, passwordHash } = request.body;
    if (before.passwordHash !== checkedHash) return refuse('conflict', movedMeanwhile);
    const after: Member = { ...before, passwordHash, revision: before.revision + 1 };
    const changes = [
      { kind: 'member', before, after } as const,
      ...endSessions(queries, before.id, session.id),
      ...withdrawSignInLinks(queries, before, null),
      ownEntry(before, 'member.edit', [passwordChange], request, context),
    ];
    return succeed({ changes, reply: {} });
  },
);
