import type { TokenActivity } from '../../../contracts/console/token-views.ts';
import { activityRowsMax } from '../../../domain/bounds.ts';

type Use = TokenActivity['uses'][number];

const dayMs = 86_400_000;

/** What a token has been used for lately. */
export interface RecentUse {
  /** Null: never, or longer ago than it is kept. */
  readonly last: Use | null;
  /** Requests of the last 24 hours. */
  readonly dayCount: number;
  /** There may have been more: the number of kept rows is bounded. */
  readonly isAtLeast: boolean;
}

/** @param uses newest first, as far back as they are kept */
export function recentUse(uses: readonly Use[], now: number): RecentUse {
  const today = uses.filter(({ at }) => now - at < dayMs);
  return {
    last: uses[0] ?? null,
    dayCount: today.reduce((sum, { count }) => sum + count, 0),
    isAtLeast: today.length >= activityRowsMax,
  };
}
