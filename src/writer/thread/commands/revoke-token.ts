import { refuse, succeed } from '../../../domain/outcome.ts';
import type { Token } from '../../../domain/token/token.ts';
import { ledgerOf } from '../../../operations/audit-entries.ts';
import { operatorEntry } from '../provision/provision-scope.ts';
import type { Command } from './command.ts';

export interface RevokeTokenArgs {
  readonly tokenId: string;
}

export interface RevokeTokenResult {
  /** False: it was revoked before. */
  readonly changed: boolean;
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  /** Unix milliseconds. */
  readonly revokedAt: number;
}

/** The operator's `token revoke`: the token stops working at once, for good. Repeated, it changes nothing. */
export const revokeToken: Command<RevokeTokenArgs, RevokeTokenResult> = (queries, { tokenId }, context) => {
  const before = queries.token(tokenId);
  const project = before === undefined ? undefined : queries.project(before.projectId);
  if (before === undefined || project === undefined) {
    // The argument is not repeated: it may be a secret, given by mistake.
    return refuse('not-found', 'No token has this id. Give the 20-character id, never the secret.');
  }
  const { id, name, projectId } = before;
  if (before.revokedAt !== null) {
    return succeed({
      changes: [],
      result: { changed: false, id, name, projectId, revokedAt: before.revokedAt },
    });
  }
  const revokedAt = context.now;
  const after: Token = { ...before, revokedAt, revision: before.revision + 1 };
  const changes = [{ field: 'revokedAt', before: null, after: revokedAt }];
  const entry = operatorEntry(
    {
      ledgerId: ledgerOf(project),
      projectId,
      action: 'token.revoke',
      targetId: id,
      targetName: name,
      changes,
    },
    context,
  );
  const result = { changed: true, id, name, projectId, revokedAt };
  return succeed({
    changes: [
      { kind: 'token', before, after },
      { kind: 'audit', entry },
    ],
    result,
  });
};
