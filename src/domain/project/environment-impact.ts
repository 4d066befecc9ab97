import { type Token, tokenStatus } from '../token/token.ts';

interface TokenName {
  readonly id: string;
  readonly name: string;
}

/** How a rename of an environment affects tokens that are limited to names. A rename never edits tokens. */
export interface NameImpact {
  /** Tokens limited to the present name: they stop working for the environment. */
  readonly tokensLosing: readonly TokenName[];
  /** Tokens limited to the new name: they begin to work for it. */
  readonly tokensGaining: readonly TokenName[];
}

/**
 * @param tokens of the environment's project. Only active ones count, because the others do not work anyway.
 * @param present the name that disappears; null when the environment is new, or keeps its name.
 * @param next the name that appears; null when the environment is deleted, or keeps its name.
 * @param now Unix milliseconds.
 */
export function impactOfName(
  tokens: Iterable<Token>,
  present: string | null,
  next: string | null,
  now: number,
): NameImpact {
  if (present === next) return { tokensLosing: [], tokensGaining: [] };
  const active = Array.from(tokens).filter((token) => tokenStatus(token, now) === 'active');
  const limitedTo = (name: string | null): TokenName[] =>
    active.filter(({ environments }) => name !== null && environments?.includes(name)).map(nameOf);
  return { tokensLosing: limitedTo(present), tokensGaining: limitedTo(next) };
}

function nameOf({ id, name }: Token): TokenName {
  return { id, name };
}
