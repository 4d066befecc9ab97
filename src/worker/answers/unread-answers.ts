import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { RefusedShare } from '../evaluation/evaluation-metrics-protocol.ts';
import { type Holder, shareKey } from '../evaluation/pin-room.ts';
import type { LongAnswerPlace, Sending } from './long-answer.ts';

/** A client that has read nothing for so long may lose its place to another one. */
export const unreadMs = 1000;
/** At most this many of them are examined for one whose place would do. */
export const displacedLooks = 16;

interface Unread {
  readonly unread: Sending;
  readonly place: LongAnswerPlace;
  /** When its client stopped reading, by `monotonicMs`. */
  readonly since: number;
}

/**
 * @param share of the holder that is used up: answers of the same share may be cut
 * @returns those that are not read for longest, first; without `but`
 */
export function unreadOf(
  answers: Iterable<Sending>,
  holder: Holder,
  share: RefusedShare,
  but: Sending,
): readonly Unread[] {
  const before = monotonicMs() - unreadMs;
  const key = shareKey(share, holder);
  const found: Unread[] = [];
  for (const unread of answers) {
    const { place, behindSince: since } = unread;
    if (unread === but || place === null || since === null || since >= before) continue;
    if (shareKey(share, unread.holder) === key) found.push({ unread, place, since });
  }
  return found.sort((one, other) => one.since - other.since).slice(0, displacedLooks);
}
