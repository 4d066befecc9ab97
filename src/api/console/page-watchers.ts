import type { ConsoleCall } from '../../contracts/console/console-call.ts';
import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import type { EvaluatorClient } from '../../evaluator/evaluator-client.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { StoreVersion } from '../../support/store-version.ts';
import { type AskedAnswer, askEvaluator } from './ask-evaluator.ts';
import type { Watcher } from './watcher.ts';

export interface PageWatchersOptions {
  readonly evaluators: EvaluatorClient;
  /** The memory of a `StoreVersion`. */
  readonly storeVersion: SharedArrayBuffer;
  readonly onFault: (fault: unknown) => void;
}

/** Who looks at a page: each may have so many open, that others find room. */
export interface Viewer {
  readonly sessionSecret: string;
  readonly memberId: string;
  /** Null for a person who only owns personal projects. */
  readonly organisationId: string | null;
}

/** What is known of a page between two looks. */
interface Watch {
  readonly watcher: Watcher;
  /** Asked again at each look: who may not see the project any more is sent away. */
  readonly call: ConsoleCall;
  readonly viewer: Viewer;
  /** As the evaluators write it. */
  position: string;
  versionSeen: number;
  lookedAt: number;
  beatenAt: number;
  isLooking: boolean;
}

/** What the evaluators' `watch-project` and `watch-organisation` answer. */
interface Changes extends WatchedChanges {
  /** Of whoever looks. */
  readonly organisationId: string | null;
}

export const watchersMax = 200;
/** A browser has six connections to a service, and its pages need the others. */
export const watchersOfSessionMax = 4;
/** Nobody takes all of them, by however many sessions, and neither does an organisation. */
export const watchersOfMemberMax = 20;
export const watchersOfOrganisationMax = 100;
const tickMs = 250;
/** A page hears of changes at most so often, however many there are. */
const lookEveryMs = 1000;
export const heartbeatMs = 15_000;

/**
 * The pages that follow what others change. While there are any, a timer compares one number with what it was: only
 * when the store has moved is an evaluator asked what that means for each page, and with each heartbeat whether its
 * session goes on.
 */
export class PageWatchers {
  readonly #options: PageWatchersOptions;
  readonly #version: StoreVersion;
  readonly #watches = new Set<Watch>();
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(options: PageWatchersOptions) {
    this.#options = options;
    this.#version = new StoreVersion(options.storeVersion);
  }

  /** @returns why no more page can be followed now, or null. */
  refusal({ sessionSecret, memberId, organisationId }: Viewer): string | null {
    this.#dropOver();
    if (this.#isClosed) return 'The service is stopping. Retry in a moment.';
    if (this.#watches.size >= watchersMax) return 'Too many pages are open. Changes are shown on reload.';
    const viewers = Array.from(this.#watches, ({ viewer }) => viewer);
    const isFull = (max: number, isSame: (viewer: Viewer) => boolean) => viewers.filter(isSame).length >= max;
    if (isFull(watchersOfSessionMax, (viewer) => viewer.sessionSecret === sessionSecret)) {
      return 'Too many pages of this session are open. Close one.';
    }
    if (isFull(watchersOfMemberMax, (viewer) => viewer.memberId === memberId)) {
      return 'Too many of your pages are open. Close one.';
    }
    if (organisationId === null) return null;
    return isFull(watchersOfOrganisationMax, (viewer) => viewer.organisationId === organisationId)
      ? 'Too many pages of your organisation are open. Changes are shown on reload.'
      : null;
  }

  /** Of the newest commit: taken before a page asks where it begins, so that nothing is missed in between. */
  version(): number {
    return this.#version.settled();
  }

  /** @param position where the page begins, a position that was known at the store's version `versionSeen`. */
  add(watcher: Watcher, viewer: Viewer, call: ConsoleCall, position: string, versionSeen: number): void {
    const now = monotonicMs();
    const times = { lookedAt: now - lookEveryMs, beatenAt: now };
    this.#watches.add({ watcher, viewer, call, position, versionSeen, ...times, isLooking: false });
    this.#timer ??= setInterval(() => this.#tick(), tickMs);
  }

  /** Ends every page's stream; browsers ask again, and find whatever serves then. */
  close(): void {
    this.#isClosed = true;
    for (const { watcher } of this.#watches) watcher.end();
    this.#watches.clear();
    this.#stopIfIdle();
  }

  #tick(): void {
    this.#dropOver();
    const [now, version] = [monotonicMs(), this.version()];
    for (const watch of this.#watches) {
      if (watch.isLooking || now - watch.lookedAt < lookEveryMs) continue;
      const hasMoved = watch.versionSeen !== version;
      if (!hasMoved && now - watch.beatenAt < heartbeatMs) continue;
      this.#look(watch, now, version).catch(this.#options.onFault);
    }
  }

  async #look(watch: Watch, now: number, version: number): Promise<void> {
    watch.isLooking = true;
    watch.lookedAt = now;
    const query = { since: watch.position };
    const answer = await askEvaluator(this.#options.evaluators, { ...watch.call, query });
    watch.isLooking = false;
    if (!this.#watches.has(watch)) return;
    if (answer.kind === 'answered') this.#take(watch, answer, version);
    if (now - watch.beatenAt < heartbeatMs) return;
    watch.beatenAt = now;
    watch.watcher.beat();
  }

  /** A session that is over, and a project that may not be seen any more, end the stream. */
  #take(watch: Watch, { head, body }: Extract<AskedAnswer, { kind: 'answered' }>, version: number): void {
    if (head.status >= 500) return;
    if (head.status !== 200) {
      watch.watcher.end();
      this.#watches.delete(watch);
      this.#stopIfIdle();
      return;
    }
    const { organisationId: _, ...changes } = readChanges(body);
    watch.versionSeen = version;
    if (changes.position === watch.position) return;
    watch.position = changes.position;
    watch.watcher.tell('changed', changes);
  }

  #dropOver(): void {
    for (const watch of this.#watches) if (watch.watcher.isOver) this.#watches.delete(watch);
    this.#stopIfIdle();
  }

  #stopIfIdle(): void {
    if (this.#watches.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

export function readChanges(body: Uint8Array): Changes {
  return JSON.parse(new TextDecoder().decode(body)) as Changes;
}
