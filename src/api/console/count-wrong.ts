import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleReply } from './console-reply.ts';
import { refuseAttempts } from './password-refusals.ts';

/** `wrong` when what was given was checked and is wrong; null when nothing could be checked. Answered in both cases. */
export type Checked<T> = { readonly right: T } | 'wrong' | null;

/**
 * Makes an attempt to name a password. It takes its place in the limits before any work is done, and keeps it only when
 * it was wrong: one that the service could not check tells nobody anything.
 *
 * @returns null when the request has been answered, with a refusal.
 */
export async function countWrong<T>(
  reply: ConsoleReply,
  account: string,
  { attempts }: ConsoleActors,
  check: () => Promise<Checked<T>>,
): Promise<{ readonly right: T } | null> {
  const { limitKey } = reply.request;
  const waitSeconds = attempts.begin(account, limitKey);
  if (waitSeconds !== null) {
    refuseAttempts(reply, waitSeconds);
    return null;
  }
  let isWrong = false;
  try {
    const checked = await check();
    isWrong = checked === 'wrong';
    return checked === 'wrong' ? null : checked;
  } finally {
    if (!isWrong) attempts.giveBack(account, limitKey);
  }
}
