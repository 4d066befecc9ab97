import type { Query, QueryClient } from '@tanstack/react-query';
import type { WatchedChanges } from '../../domain/audit/watched-changes.ts';
import { addressOf } from './address-of.ts';
import { isTouchedBy, joined } from './changed.ts';
import { projectsQuery } from './queries.ts';

/** After a change one waits so long for others. */
const quietMs = 300;
/** Reading takes at most a part of the time: after each there is a pause of so many times as long. */
const pauseFactor = 4;
const pauseMsMax = 15_000;
/** What takes longer is waited for no more. */
const readingMsMax = 30_000;

/** Reads again what others have changed: what is shown now at once, the rest when it is shown. Once at a time. */
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

  /** What has been told and not been read yet is read now: the next stream does not tell it again. */
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
    await withinTime(readAgain(this.#client, this.#touchedBy(changed)));
    const tookMs = performance.now() - began;
    this.#restsUntil = performance.now() + Math.min(pauseMsMax, tookMs * pauseFactor);
    this.#isReading = false;
    this.#schedule();
  }

  #touchedBy(changed: WatchedChanges): (query: Query) => boolean {
    return ({ queryKey }) => isTouchedBy(changed, this.#projectId, queryKey);
  }
}

/** A first reading that is under way may have begun before the change: it is read once more after it. */
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

/** A stream that broke or was refused is opened again after a pause that doubles, and differs from page to page. */
const reopenMsMin = 1_000;
const reopenMsMax = 30_000;

interface FollowOptions {
  /** Null on a page without a project: then only the organisation is followed. */
  readonly projectId: string | null;
  /** What is shown was read after this. */
  readonly since: string;
  /** Told with each event, for the stream after this one. */
  readonly onPosition: (position: string) => void;
  readonly onLive: (isLive: boolean) => void;
}

/**
 * Keeps what is shown up to date with what others do.
 *
 * @returns what ends it
 */
export function followChanges(client: QueryClient, options: FollowOptions): () => void {
  const { projectId, onPosition, onLive } = options;
  const readings = new ChangedReadings(client, projectId);
  let { since } = options;
  let source: EventSource;
  let opening: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  const take = ({ data }: MessageEvent<string>) => {
    const changed = JSON.parse(data) as WatchedChanges;
    if (changed.position === since) return;
    since = changed.position;
    onPosition(since);
    readings.add(changed);
  };
  const open = () => {
    source = new EventSource(addressOfStream(projectId, since));
    source.addEventListener('changed', take);
    source.addEventListener('ready', (event: MessageEvent<string>) => {
      failures = 0;
      onLive(true);
      take(event);
    });
    source.addEventListener('error', () => {
      // Not by the browser: it would ask from the position of the beginning.
      source.close();
      onLive(false);
      // A refused stream does not say why. This request does, if the session has ended.
      if (failures > 0) void client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      opening = setTimeout(open, pauseMs(failures));
      failures += 1;
    });
  };
  open();
  return () => {
    source.close();
    clearTimeout(opening);
    readings.end();
    // Changes of this project are not told any more: its answers are stale from here on.
    if (projectId !== null) void client.invalidateQueries({ queryKey: [projectId], refetchType: 'none' });
  };
}

function addressOfStream(projectId: string | null, since: string): string {
  if (projectId === null) return addressOf('watch-organisation', {}, { since });
  return addressOf('watch-project', { projectId }, { since });
}

function pauseMs(failures: number): number {
  const ms = Math.min(reopenMsMax, reopenMsMin * 2 ** failures);
  return ms * (0.5 + Math.random() / 2);
}
