import type { BenchRequest } from '../load/request-list.ts';
import type { HalfServer } from './half-server.ts';

/** How many requests are under way at the same time. */
const atOnce = 8;

/**
 * Checks that a server answers the measured question rightly: the flag is on for about half of the users, and a user
 * always gets the same answer.
 *
 * @param users how many are checked, twice each
 * @throws Error when it does not
 */
export async function checkHalf(server: HalfServer, users: number): Promise<void> {
  const asked = server.list.requests.slice(0, users);
  const first = await isOnFor(server, asked);
  const second = await isOnFor(server, asked);
  const changed = first.filter((isOn, user) => isOn !== second[user]).length;
  if (changed > 0)
    throw new Error(`${server.name} answered ${changed} of ${users} users differently when asked again`);
  checkShare(server.name, first.filter(Boolean).length, users);
}

/**
 * @param on for how many of the users the flag is on
 * @throws Error when that differs from half by more than five standard deviations
 */
export function checkShare(name: string, on: number, users: number): void {
  const allowed = 5 * Math.sqrt(users / 4);
  if (Math.abs(on - users / 2) <= allowed) return;
  throw new Error(`${name} has the flag on for ${on} of ${users} users, which is not about half`);
}

/** @returns whether the flag is on, by the answer to each request. @throws Error for any other status than 200 */
export async function isOnFor(server: HalfServer, requests: readonly BenchRequest[]): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (let start = 0; start < requests.length; start += atOnce) {
    const some = requests.slice(start, start + atOnce);
    answers.push(...(await Promise.all(some.map((request) => ask(server, request)))));
  }
  return answers;
}

async function ask({ name, list, isOn }: HalfServer, request: BenchRequest): Promise<boolean> {
  const { path, method = 'GET', body } = request;
  const headers = { ...list.headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const response = await fetch(`${list.origin}${path}`, { method, headers, body: body ?? null });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${name} answered ${response.status} to ${path}: ${text}`);
  return isOn(text);
}
