import type { Project } from '../project/project.ts';

export const permissions = ['read', 'write'] as const;
export type Permission = (typeof permissions)[number];

export interface Token {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly permission: Permission;
  /**
   * Null: every environment, with future ones. A list limits the token to those names, for ever: a list none of whose
   * names exists permits nothing.
   */
  readonly environments: readonly string[] | null;
  /** Unix milliseconds; 0 means never. */
  readonly expiresAt: number;
  /** Member id, or null when the operator made it. */
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  /** SHA-256 of the part of the secret after the last underscore. The secret itself is stored nowhere. */
  readonly secretHash: Uint8Array;
  /** When the last denial email was put into the outbox; 0 for never. */
  readonly denialEmailedAt: number;
  readonly revision: number;
}

export const tokenStatuses = ['active', 'revoked', 'expired'] as const;
export type TokenStatus = (typeof tokenStatuses)[number];

/** Expired means now ≥ `expiresAt` (decisions). */
export function tokenStatus(token: Token, now: number): TokenStatus {
  if (token.revokedAt !== null) return 'revoked';
  return token.expiresAt !== 0 && now >= token.expiresAt ? 'expired' : 'active';
}

export function permitsEnvironment(token: Token, environment: string): boolean {
  return token.environments === null || token.environments.includes(environment);
}

/** A token as `GET /api/v1/token` describes it. */
interface TokenView {
  readonly id: string;
  readonly name: string;
  readonly project: { readonly id: string; readonly name: string };
  readonly permission: Permission;
  /** Empty means every environment. */
  readonly environments: readonly string[];
  /** Unix milliseconds; 0 means never. */
  readonly expiresAt: number;
}

export function tokenView(token: Token, project: Project): TokenView {
  return {
    id: token.id,
    name: token.name,
    project: { id: project.id, name: project.name },
    permission: token.permission,
    environments: token.environments ?? [],
    expiresAt: token.expiresAt,
  };
}
