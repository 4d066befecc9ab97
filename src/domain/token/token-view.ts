import type { Project } from '../project/project.ts';
import type { Permission, Token } from './token.ts';

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
