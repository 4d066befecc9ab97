import { revokedTokensKeptMax } from '../bounds.ts';
import type { RecordChange } from '../record-change.ts';
import type { RecordQueries } from '../record-queries.ts';
import type { Token } from './token.ts';

/** Of one change, with up to 1,000 denials and as many uses each. */
const droppedAtOnceMax = 2;

/** A project's tokens: first those that are not revoked, by name, then the most recently revoked. */
export function listedTokens(queries: RecordQueries, projectId: string): readonly Token[] {
  const { unrevoked, revoked } = new ProjectTokens(queries, projectId);
  unrevoked.sort((one, other) => compareTexts(one.name, other.name) || one.createdAt - other.createdAt);
  return [...unrevoked, ...revoked.slice(0, revokedTokensKeptMax)];
}

/** All tokens of a project. */
export class ProjectTokens {
  /** An expired token is one of them until it is revoked (specification: limits). */
  readonly unrevoked: Token[] = [];
  /** The most recently revoked first. */
  readonly revoked: Token[] = [];

  constructor(queries: RecordQueries, projectId: string) {
    for (const token of queries.tokensOf(projectId)) {
      if (token.revokedAt === null) this.unrevoked.push(token);
      else this.revoked.push(token);
    }
    this.revoked.sort((one, other) => (other.revokedAt ?? 0) - (one.revokedAt ?? 0));
  }

  /**
   * Deletes the tokens revoked longest ago, of which a change adds one more: every change and every page reads all tokens
   * of a project. Their audit entries stay; a request with the secret of one is refused as that of an unknown token.
   */
  *dropOldest(): Generator<RecordChange> {
    const excess = this.revoked.slice(revokedTokensKeptMax).reverse();
    for (const before of excess.slice(0, droppedAtOnceMax)) yield { kind: 'token', before, after: null };
  }
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
