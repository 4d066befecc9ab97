import type { BenchRequest } from '../../load/request-list.ts';
import { usersMax } from '../../servers/flag-fixtures.ts';
import { checkHalf, isOnFor } from '../check-half.ts';
import type { HalfServer } from '../half-server.ts';
import { otherValue, rule } from './rule-question.ts';

/** A server whose flag is on for half of those whom the rule matches: its list asks about these. */
export interface RuleServer extends HalfServer {
  /** Asks about users whom the rule does not match. */
  readonly unmatched: readonly BenchRequest[];
}

/** @returns requests about so many users, whom the rule matches, and about others, whom it does not */
export function ruleRequests(
  requestFor: (user: string, attribute: string) => BenchRequest,
  users: number,
): { readonly matched: readonly BenchRequest[]; readonly unmatched: readonly BenchRequest[] } {
  const about = (attribute: string) => (_unused: unknown, user: number) =>
    requestFor(`user-${user}`, attribute);
  return {
    matched: Array.from({ length: Math.min(users, usersMax) }, about(rule.value)),
    unmatched: Array.from({ length: unmatchedUsers }, about(otherValue)),
  };
}

/** At 50 %, so many who are all off are no chance. */
const unmatchedUsers = 100;

/**
 * Makes sure that a server answers what is measured: the flag is on for about half of those whom the rule matches, always
 * the same ones, and for nobody else.
 *
 * @param users how many are asked about, twice
 * @throws Error when it does not
 */
export async function checkRule(server: RuleServer, users: number): Promise<void> {
  await checkHalf(server, users);
  const answers = await isOnFor(server, server.unmatched);
  const wrong = answers.filter(Boolean).length;
  if (wrong > 0)
    throw new Error(
      `${server.name} has the flag on for ${wrong} of ${answers.length} users whom its rule does not match`,
    );
}
