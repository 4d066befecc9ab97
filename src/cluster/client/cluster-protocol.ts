import type { MessagePort } from 'node:worker_threads';
import type { LogLines } from '../../observability/thread-log.ts';
import type { AttemptCount } from '../sql/attempt-statements.ts';

/** What the cluster's thread needs to start. */
export interface ClusterSetup {
  /** URL of PostgreSQL, with its password. */
  readonly url: string;
  readonly passwordFile: string | null;
  readonly schema: string;
  /** Id of this process in the cluster. */
  readonly node: string;
  /** Name for people: host and version. */
  readonly label: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly wait: 'all' | 'none';
  /** The memory of a `LeaseCell`. */
  readonly leaseMemory: SharedArrayBuffer;
  /** Memory of a `LeaseCell` that is valid while this node sends the cluster's mails; null without a mail server. */
  readonly mailMemory: SharedArrayBuffer | null;
  readonly logLevel: string;
  readonly logMemory: SharedArrayBuffer;
  /** The thread's cells of `clusterMetrics`. */
  readonly metrics: SharedArrayBuffer;
  /** Port to the writer's replica. */
  readonly replicaPort: MessagePort;
  /** Port to the main thread, which asks `ClusterQuestions`. */
  readonly hostPort: MessagePort;
}

/** The nodes as PostgreSQL lists them. */
export interface NodesAnswer {
  /** The newest position of the cluster. */
  readonly position: number;
  readonly nodes: {
    readonly id: string;
    readonly label: string;
    /** Whether it is the node that answers. */
    readonly isAnswering: boolean;
    /** Whether its lease may be valid. */
    readonly isAttached: boolean;
    /** Position that it had applied at its last renewal. */
    readonly position: number;
    readonly lag: number;
    readonly renewedMsAgo: number;
    /** Remaining time of its lease. */
    readonly leaseMs: number;
    readonly duties: string[];
  }[];
}

/** Calls from the main thread. The result is null while PostgreSQL cannot be reached. */
export interface ClusterQuestions {
  readonly listNodes: { readonly args: null; readonly result: NodesAnswer | null };
  /** Counts one attempt for each key, over all nodes. */
  readonly countAttempts: {
    readonly args: { readonly keys: readonly string[]; readonly windowMs: number };
    readonly result: readonly AttemptCount[] | null;
  };
  /** Reverts `countAttempts`. */
  readonly giveBackAttempts: { readonly args: readonly string[]; readonly result: null };
}

/** Makes the cluster's thread return the lease, so that no change waits for this node. */
export interface ClusterStop {
  readonly kind: 'stop';
}

/** From the cluster's thread. */
export type ClusterMessage =
  | { readonly kind: 'log'; readonly lines: LogLines }
  /** A fault that only another setting or directory resolves. */
  | { readonly kind: 'fatal'; readonly message: string };
