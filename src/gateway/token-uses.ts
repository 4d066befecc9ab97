import type { ManagementRoute } from '../contracts/management/management-call.ts';
import { routeLabel } from '../contracts/management/route-rules.ts';
import { parseManagementQuery, requestedEnvironments } from '../domain/management/management-query.ts';
import { shown } from '../domain/problem-list.ts';
import type { TokenUse } from '../domain/token/token-use.ts';

/** Different uses that are held at once; of what more there is only the number is told, until these are taken. */
export const usesHeldMax = 1000;

/** What a request says about the use of its token. */
export interface UsedBy {
  readonly route: ManagementRoute | null;
  /** Raw, as received. */
  readonly query: string;
  readonly address: string;
}

/** Denials are recorded by themselves; without the plan a token is not used. */
const refusalStatuses: ReadonlySet<number> = new Set([401, 402, 403]);

/**
 * Gathers what tokens are used for, in memory: requests that do the same are one entry, with their number. Nothing waits
 * for it, and a process that is killed loses the last few seconds.
 */
export class TokenUses {
  readonly #held = new Map<string, TokenUse>();
  readonly #onUncounted: (uses: number) => void;

  /** @param onUncounted is told of uses that found no room. */
  constructor(onUncounted: (uses: number) => void) {
    this.#onUncounted = onUncounted;
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  /** A request was answered. @param at Unix milliseconds */
  note({ route, query, address }: UsedBy, status: number, tokenId: string, at: number): void {
    if (refusalStatuses.has(status)) return;
    const environment = environmentIn(query);
    this.#add({ tokenId, at, route: routeLabel(route), environment, address, count: 1 });
  }

  /** @returns everything that was gathered since the last call */
  take(): readonly TokenUse[] {
    const uses = [...this.#held.values()];
    this.#held.clear();
    return uses;
  }

  /** What was taken could not be recorded: it is to be taken again. */
  putBack(uses: readonly TokenUse[]): void {
    for (const use of uses) this.#add(use);
  }

  #add(use: TokenUse): void {
    const key = JSON.stringify([use.tokenId, use.route, use.environment, use.address]);
    const held = this.#held.get(key);
    if (held === undefined && this.#held.size >= usesHeldMax) {
      this.#onUncounted(use.count);
      return;
    }
    const count = use.count + (held?.count ?? 0);
    this.#held.set(key, { ...use, at: Math.max(use.at, held?.at ?? 0), count });
  }
}

function environmentIn(query: string): string | null {
  if (query === '') return null;
  const [environment] = requestedEnvironments(parseManagementQuery(query));
  return environment === undefined ? null : shown(environment);
}
