import { setTimeout } from 'node:timers/promises';
import type { ApiRequest } from '../api-request.ts';
import type { ConversationActors, PasswordCaller, PasswordPort } from '../conversation.ts';
import type { Credential } from './step-bodies.ts';

const tooManyAttempts =
  'Too many attempts to sign in to this account, or from this address. Wait, or use a sign-in link.';
const busy = 'The service is checking as many passwords as it can at once. Retry in a moment.';

/*
 * Delay of the answer that a client may not try now. Clients that retry at once would otherwise keep their worker busy with
 * refusals in each pass of the event loop, while others wait.
 */
const tooManyMs = 250;
const busyMs = 1000;

/** @param retryAfter seconds */
export async function refuseAttempts(request: ApiRequest, retryAfter: number): Promise<void> {
  await setTimeout(tooManyMs, undefined, { ref: false });
  request.refuse({ code: 'too-many-attempts', detail: tooManyAttempts }, retryAfter);
}

export async function passwordsBusy(request: ApiRequest): Promise<void> {
  await setTimeout(busyMs, undefined, { ref: false });
  request.refuseUnavailable(busy);
}

/** An attempt checks this many hashes, however many members have the email: its time reveals nothing about them. */
export const checksPerAttempt = 3;

/**
 * Finds the members that a password signs in. A person who knows the password of one of the first may learn of the
 * others: only then are the rest checked too.
 *
 * @param meant the members with the given email; their reading is bounded
 */
export async function rightCredentials(
  meant: readonly Credential[],
  password: string,
  passwords: PasswordPort,
  caller: PasswordCaller,
): Promise<readonly Credential[] | 'busy'> {
  const right: Credential[] = [];
  for (let from = 0; from === 0 || (from < meant.length && right.length > 0); from += checksPerAttempt) {
    const some = meant.slice(from, from + checksPerAttempt);
    const checks = Array.from({ length: checksPerAttempt }, (_, at) => some[at]?.passwordHash ?? null);
    const checked = await passwords.check(caller, checks, password);
    if (checked === 'busy') return 'busy';
    right.push(...some.filter((_, at) => checked[at] === true));
  }
  return right;
}

/**
 * `wrong` when the password was checked and is wrong; null when nothing could be checked. In both cases the request is
 * answered. `busy` when the queue of checks was full.
 */
export type Checked<T> = { readonly right: T } | 'wrong' | 'busy' | null;

/**
 * Makes an attempt with a password. It is counted in the limits before any work is done, and stays counted only if it
 * was wrong: an attempt that could not be checked reveals nothing.
 *
 * @returns null when the request has been answered, with a refusal.
 */
export async function countWrong<T>(
  request: ApiRequest,
  account: string,
  { attempts }: ConversationActors,
  check: () => Promise<Checked<T>>,
): Promise<{ readonly right: T } | null> {
  const { limitKey } = request.head;
  const waitSeconds = await attempts.begin(account, limitKey);
  if (waitSeconds !== null) {
    await refuseAttempts(request, waitSeconds);
    return null;
  }
  let checked: Checked<T> = null;
  try {
    checked = await check();
  } finally {
    if (checked !== 'wrong') attempts.giveBack(account, limitKey);
  }
  if (checked === 'busy') await passwordsBusy(request);
  return typeof checked === 'string' ? null : checked;
}
