import type { AttemptsPort, CountedAttempts } from '../operations/cluster/attempts-port.ts';
import type { NodesPort } from '../operations/cluster/nodes-port.ts';
import type { OpenIdPort } from '../operations/sessions/open-id/open-id-protocol.ts';
import { WatchPlaces } from '../operations/watching/watch-places.ts';
import type { StreamCensus } from '../streams/stream-census.ts';
import { assert } from '../support/assert.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { CountedEvaluations } from '../worker/evaluation/evaluation-tallies.ts';
import type { HostCall, HostCallName, HostCalls } from '../worker/worker-protocol.ts';
import { type PasswordHashing, PasswordQueue } from './password-queue.ts';
import { reportMsMax, type SyncDesk } from './sync-desk.ts';

export interface HostDeskOptions {
  /** Null: no provider is configured. */
  readonly openId: OpenIdPort | null;
  /** Null: the service is alone. */
  readonly cluster: ClusterParts | null;
  readonly sync: SyncDesk;
  readonly hashing: PasswordHashing;
  /** Takes evaluations that clients have reported. */
  onReported(counted: CountedEvaluations): void;
}

/** Calls of a node to its cluster, for its workers. */
export interface ClusterParts {
  readonly nodes: NodesPort;
  readonly attempts: AttemptsPort;
  /** For reports of usage: only the first attempt of a report counts, over all nodes. */
  readonly reports: AttemptsPort;
}

/** The calling worker. */
export interface Caller {
  /** The slots of the worker's pages that watch changes. Each gives its slot back here. */
  readonly watchPlaces: Set<number>;
  /** Takes the worker out of the rotation; resolves when the worker may leave. */
  leave(reason: string, mayWait: boolean): Promise<void>;
}

type Handlers = {
  readonly [Name in HostCallName]: (
    caller: Caller,
    ...args: HostCalls[Name]['args']
  ) => Promise<HostCalls[Name]['result']>;
};

/** Does the work on the main thread that all workers share: passwords, OpenID, slots of watching pages. */
export class HostDesk {
  readonly #passwords: PasswordQueue;
  readonly #watchPlaces = new WatchPlaces();
  readonly #sync: SyncDesk;
  readonly #handlers: Handlers;

  constructor({ openId, cluster, sync, hashing, onReported }: HostDeskOptions) {
    this.#passwords = new PasswordQueue(hashing);
    this.#sync = sync;
    const provider = (): OpenIdPort => {
      if (openId === null) throw new Error('no OpenID provider is configured');
      return openId;
    };
    this.#handlers = {
      checkPassword: (_caller, ...asked) => this.#passwords.check(...asked),
      hashPassword: (_caller, ...asked) => this.#passwords.hash(...asked),
      beginOpenId: async (_caller, ...args) => provider().begin(...args),
      receiveOpenId: async (_caller, ...args) => provider().receive(...args),
      listNodes: async () => (cluster === null ? null : cluster.nodes.list()),
      countAttempts: async (_caller, ...args) => cluster?.attempts.count(...args) ?? null,
      giveBackAttempts: async (_caller, keys) => cluster?.attempts.giveBack(keys) ?? null,
      listSyncStreams: async (_caller, projectId) => sync.streamsOf(projectId),
      reportUsage: async (_caller, _tenant, key, counted) => {
        const isNew = sync.noteReport(key, monotonicMs()) && !(await isCountedElsewhere(key, cluster));
        if (!isNew) return false;
        onReported(counted);
        return true;
      },
      joinWatchers: async ({ watchPlaces }, viewer) => {
        const place = this.#watchPlaces.join(viewer);
        if (typeof place === 'number') watchPlaces.add(place);
        return place;
      },
      leave: async (caller, reason, mayWait) => {
        await caller.leave(reason, mayWait);
        return null;
      },
    };
  }

  /** @throws what the call throws */
  do({ name, args }: HostCall, caller: Caller): Promise<unknown> {
    // A call carries the arguments that belong to its name: see `HostCall`.
    assert(Object.hasOwn(this.#handlers, name), 'a worker calls a function of the desk');
    const run = this.#handlers[name] as (caller: Caller, ...args: unknown[]) => Promise<unknown>;
    return run(caller, ...args);
  }

  leaveWatchers(caller: Caller, place: number): void {
    const hadPlace = caller.watchPlaces.delete(place);
    assert(hadPlace, 'a page leaves its place once, and by its own worker');
    this.#watchPlaces.leave(place);
  }

  noteCensus(caller: Caller, census: readonly StreamCensus[]): void {
    this.#sync.noteCensus(caller, census);
  }

  /** The worker has ended: gives back what it held. */
  release(caller: Caller): void {
    this.#sync.forget(caller);
    for (const place of [...caller.watchPlaces]) this.leaveWatchers(caller, place);
  }
}

/**
 * Whether another node has counted a report of usage, whose answer was lost. While PostgreSQL does not answer, or has
 * too many calls, this is unknown: the report then counts, because repeated reports are rare.
 */
async function isCountedElsewhere(key: string, cluster: ClusterParts | null): Promise<boolean> {
  const counted = await cluster?.reports.count([`usage ${key}`], reportMsMax);
  return Array.isArray(counted) && counted.some(({ count }: CountedAttempts) => count > 1);
}
