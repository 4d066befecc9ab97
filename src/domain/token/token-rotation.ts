import { type Token, tokenStatus } from './token.ts';

/** The same token, revoked. */
export function revoked(token: Token, now: number): Token {
  return { ...token, revokedAt: now, revision: token.revision + 1 };
}

/** Why a token cannot be rotated, as a sentence; null when it can (decisions: expired tokens cannot be). */
export function rotationProblem(token: Token, now: number): string | null {
  const status = tokenStatus(token, now);
  if (status === 'active') return null;
  return status === 'revoked'
    ? 'This token has been revoked, so it cannot be rotated. Create a new token.'
    : 'This token has expired, so it cannot be rotated. Create a new token.';
}

/**
 * The replacement of a token: with the same name, permission, environments and expiry (specification: token lifecycle).
 * Its creator is the member who rotated it, because no other member has seen its secret. It is a new token, so no mail was
 * sent for it yet.
 *
 * @param secretHash of the new secret.
 */
export function replacementOf(
  token: Token,
  made: { readonly id: string; readonly by: string; readonly at: number },
  secretHash: Uint8Array,
): Token {
  return {
    ...token,
    id: made.id,
    createdBy: made.by,
    createdAt: made.at,
    revokedAt: null,
    secretHash,
    denialEmailedAt: 0,
    revision: 1,
  };
}
