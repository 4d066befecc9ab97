import type { Query, QueryClient } from '@tanstack/react-query';
import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import { ChangeStream, type StreamState } from './change-stream.ts';
import { isTouchedBy, joined } from './changed.ts';
import { projectsQuery } from './queries.ts';
import { changedFlagsMax, listKey, readChangedFlags } from './read-flag-list.ts';

/** How long to wait after a change for further ones. */
const quietMs = 300;
/** After each reading there is a pause of this many times its length, so that reading takes only a fraction of the time. */
const pauseFactor = 4;
const pauseMsMax = 15_000;
/** A reading that takes longer is not waited for. */
const readingMsMax = 30_000;

/** Reads data again that others have changed: queries in use at once, others when they are used next. One reading at a time. */
class ChangedReadings {
  readonly #client: QueryClient;
  readonly #projectId: string | null;
  #pending: WatchedChanges | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  #restsUntil = 0;
  #isOver = false;

  constructor(client: QueryClient, projectId: string | null) {
    this.#client = client;
    this.#projectId = projectId;
  }

  add(changed: WatchedChanges): void {
    this.#pending = joined(this.#pending, changed);
    this.#schedule();
  }

  /** Changes that were reported and not read yet are read now: the next stream does not report them again. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    const changed = this.#pending;
    this.#pending = null;
    if (changed !== null) void this.#client.invalidateQueries({ predicate: this.#touchedBy(changed) });
  }

  #schedule(): void {
    if (this.#isOver || this.#isReading || this.#pending === null || this.#timer !== undefined) return;
    const ms = Math.max(quietMs, this.#restsUntil - performance.now());
    this.#timer = setTimeout(() => void this.#read(), ms);
  }

  async #read(): Promise<void> {
    const changed = this.#pending;
    this.#timer = undefined;
    this.#pending = null;
    if (changed === null) return;
    this.#isReading = true;
    const began = performance.now();
    await withinTime(this.#readAgain(changed));
    const tookMs = performance.now() - began;
    this.#restsUntil = performance.now() + Math.min(pauseMsMax, tookMs * pauseFactor);
    this.#isReading = false;
    this.#schedule();
  }

  #touchedBy(changed: WatchedChanges): (query: Query) => boolean {
    return ({ queryKey }) => isTouchedBy(changed, this.#projectId, queryKey);
  }

  /** In a list of flags that is known, only the changed flags are read. */
  async #readAgain(changed: WatchedChanges): Promise<void> {
    const isTouched = this.#touchedBy(changed);
    const list = this.#changedList(changed);
    await Promise.all([
      readAgain(this.#client, (query) => query !== list && isTouched(query)),
      list && readChangedFlags(this.#client, listKey(this.#projectId ?? ''), changed.flags),
    ]);
  }

  #changedList({ everyFlag, flags }: WatchedChanges): Query | undefined {
    if (this.#projectId === null || everyFlag || flags.length === 0 || flags.length > changedFlagsMax)
      return undefined;
    const list = this.#client.getQueryCache().find({ queryKey: listKey(this.#projectId) });
    return list?.state.data === undefined || list.state.isInvalidated ? undefined : list;
  }
}

/** A first reading in progress may have begun before the change, so it is repeated. */
async function readAgain(client: QueryClient, isTouched: (query: Query) => boolean): Promise<void> {
  const isFirst = ({ state }: Query) => state.fetchStatus !== 'idle' && state.data === undefined;
  const begun = client.getQueryCache().findAll({ predicate: isTouched }).filter(isFirst);
  await client.invalidateQueries({ predicate: isTouched });
  if (begun.length > 0) await client.invalidateQueries({ predicate: (query) => begun.includes(query) });
}

function withinTime(reading: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, readingMsMax);
    void reading.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

interface FollowOptions {
  /** Null on a page without a project: then only the organisation is watched. */
  readonly projectId: string | null;
  /** The position of the last reading. */
  readonly since: string;
  /** Comes with each report, for the stream after this one. */
  readonly onPosition: (position: string) => void;
  readonly onState: (state: StreamState) => void;
}

/**
 * Keeps the page up to date with the changes of others.
 *
 * @returns a function that ends it
 */
export function followChanges(client: QueryClient, options: FollowOptions): () => void {
  const { projectId, since, onPosition, onState } = options;
  const readings = new ChangedReadings(client, projectId);
  const onChanged = (changed: WatchedChanges) => {
    onPosition(changed.position);
    readings.add(changed);
  };
  const changes = new ChangeStream({
    projectId,
    since,
    onChanged,
    onState: (state) => {
      // The session has ended, or the project may no longer be seen: this request shows which.
      if (state.status !== 0) void client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      onState(state);
    },
  });
  return () => {
    changes.end();
    readings.end();
    // Changes of this project are no longer reported, so its results are stale from here on.
    if (projectId !== null) void client.invalidateQueries({ queryKey: [projectId], refetchType: 'none' });
  };
}
