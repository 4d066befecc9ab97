import { hasAtMostCodePoints, isWellFormed } from '../../support/code-points.ts';
import { activeTokensMax, tokenNameCodePointsMax } from '../bounds.ts';
import { addCharacterProblems } from '../name-rules.ts';
import { type ProblemList, shown, shownList } from '../problem-list.ts';
import { findEnvironment, type Project } from '../project/project.ts';
import type { Permission, Token } from './token.ts';

/** 0 means never. The longest is exactly the longest lifetime of a token (specification: authentication, 5). */
export const tokenExpiryDays = [0, 30, 90, 365] as const;
const dayMs = 24 * 60 * 60 * 1000;

/** A member's wish for a new token. */
export interface TokenWish {
  readonly name: string;
  readonly permission: Permission;
  /** Null: every environment, with future ones. */
  readonly environments: readonly string[] | null;
  readonly expiryDays: (typeof tokenExpiryDays)[number];
}

/** Adds the problems of the wish. @param unrevoked the project's tokens that are not revoked. */
export function addTokenProblems(
  wish: TokenWish,
  project: Project,
  unrevoked: number,
  problems: ProblemList,
): void {
  addNameProblems(wish.name, problems);
  if (wish.environments !== null) addEnvironmentProblems(wish.environments, project, problems);
  if (unrevoked >= activeTokensMax) {
    problems.add(
      () =>
        `the project has ${unrevoked} tokens, and at most ${activeTokensMax} are allowed: revoke one first (an expired token counts until it is revoked)`,
    );
  }
}

function addNameProblems(text: string, problems: ProblemList): void {
  const name = text.trim();
  if (name === '' || !hasAtMostCodePoints(name, tokenNameCodePointsMax)) {
    problems.add(() => `name must be 1 to ${tokenNameCodePointsMax} characters after trimming`);
  }
  addCharacterProblems(name, 'name', problems);
  if (!isWellFormed(name)) problems.add(() => 'name must be valid Unicode text');
}

function addEnvironmentProblems(names: readonly string[], project: Project, problems: ProblemList): void {
  if (!project.isMultiEnvironment) {
    problems.add(() => 'environments must be null: this project has no environments to limit a token to');
    return;
  }
  if (names.length === 0) {
    problems.add(() => 'environments must name at least one environment; null means every environment');
  }
  const distinct = new Set(names);
  if (distinct.size < names.length) problems.add(() => 'environments must name each environment once');
  for (const name of distinct) {
    if (findEnvironment(project, name) === undefined) {
      problems.add(
        () =>
          `environments names "${shown(name)}", which is not an environment of this project: ${namesOf(project)}`,
      );
    }
  }
}

function namesOf({ environments }: Project): string {
  return environments.length === 0 ? 'it has none yet' : shownList(environments.map(({ name }) => name));
}

/** A member's new token, from a wish without problems. @param secretHash SHA-256 of the secret, 32 bytes. */
export function newToken(
  wish: TokenWish,
  made: { readonly id: string; readonly projectId: string; readonly by: string; readonly at: number },
  secretHash: Uint8Array,
): Token {
  const { permission, environments, expiryDays } = wish;
  return {
    id: made.id,
    projectId: made.projectId,
    name: wish.name.trim(),
    permission,
    environments,
    expiresAt: expiryDays === 0 ? 0 : made.at + expiryDays * dayMs,
    createdBy: made.by,
    createdAt: made.at,
    revokedAt: null,
    secretHash,
    denialEmailedAt: 0,
    revision: 1,
  };
}
