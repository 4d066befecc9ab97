import type { BenchRequest } from '../../load/request-list.ts';
import { usersMax } from '../../servers/flag-fixtures.ts';
import { checkHalf, isOnFor } from '../check-half.ts';
import type { HalfServer } from '../half-server.ts';
import { otherValue, rule } from './rule-question.ts';

/** A server whose flag is on for half of the users that the rule matches. Its list has requests about such users. */
export interface RuleServer extends HalfServer {
  /** Requests about users that the rule does not match. */
  readonly unmatched: readonly BenchRequest[];
}

/** @returns requests about `users` users that the rule matches, and about others that it does not match */
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

/** How many users without the flag prove a wrong rule: at 50 %, chance does not explain them. */
const unmatchedUsers = 100;

/**
 * Checks that a server answers the measured question rightly: the flag is on for about half of the users that the rule
 * matches, always the same ones, and for no other user.
 *
 * @param users how many are checked, twice each
 * @throws Error when it does not
 */
export async function checkRule(server: RuleServer, users: number): Promise<void> {
  await checkHalf(server, users);
  const answers = await isOnFor(server, server.unmatched);
  const wrong = answers.filter(Boolean).length;
  if (wrong > 0)
    throw new Error(
      `${server.name} has the flag on for ${wrong} of ${answers.length} users that its rule does not match`,
    );
}
