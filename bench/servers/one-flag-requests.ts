import type { BenchRequest } from '../load/request-list.ts';
import { userName, usersMax } from './flag-fixtures.ts';

/** Coprime to the number of users, so that steps of this size visit all users, in no obvious order. */
const step = 7919;

/**
 * Requests for one flag, each with a different targeting key.
 * @param length how many; fewer than the 100,000 users in a quick run
 */
export function oneFlagRequests(flagId: string, length = usersMax): BenchRequest[] {
  return Array.from({ length }, (_unused, at) => ({
    path: `/v1/flags/${flagId}?targetingKey=${userName((at * step) % usersMax)}`,
    status: 200,
  }));
}
