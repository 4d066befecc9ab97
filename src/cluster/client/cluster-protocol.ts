import type { MessagePort } from 'node:worker_threads';
import type { LogLines } from '../../observability/thread-log.ts';
import type { AttemptCount } from '../sql/attempt-statements.ts';

/** What the cluster's thread needs to start. */
export interface ClusterSetup {
  /** Of PostgreSQL, with its password. */
  readonly url: string;
  readonly passwordFile: string | null;
  readonly schema: string;
  /** Of this process. */
  readonly node: string;
  /** What people know it by: its host, its version. */
  readonly label: string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly wait: 'all' | 'none';
  /** The memory of a `LeaseCell`. */
  readonly leaseMemory: SharedArrayBuffer;
  /** The memory of a `LeaseCell`, which is valid while this node is to send mails; null where it has no mail server. */
  readonly mailMemory: SharedArrayBuffer | null;
  readonly logLevel: string;
  readonly logMemory: SharedArrayBuffer;
  /** The thread's cells of `clusterMetrics`. */
  readonly metrics: SharedArrayBuffer;
  /** Leads to the writer's replica. */
  readonly replicaPort: MessagePort;
  /** Leads to the main thread, which asks `ClusterQuestions`. */
  readonly hostPort: MessagePort;
}

/** The nodes as PostgreSQL lists them. */
export interface NodesAnswer {
  /** The newest position of the cluster. */
  readonly position: number;
  readonly nodes: {
    readonly id: string;
    readonly label: string;
    /** This node. */
    readonly isAnswering: boolean;
    /** Whether its lease may be valid. */
    readonly isAttached: boolean;
    /** As it said when it last renewed its lease. */
    readonly position: number;
    readonly lag: number;
    readonly renewedMsAgo: number;
    /** For how long it may still take its state for current. */
    readonly leaseMs: number;
    readonly duties: string[];
  }[];
}

/** What the main thread asks of the cluster. Null: PostgreSQL cannot be asked. */
export interface ClusterQuestions {
  readonly listNodes: { readonly args: null; readonly result: NodesAnswer | null };
  /** Counts an attempt for each key, over all nodes. */
  readonly countAttempts: {
    readonly args: { readonly keys: readonly string[]; readonly windowMs: number };
    readonly result: readonly AttemptCount[] | null;
  };
  /** Takes back what `countAttempts` has counted. */
  readonly giveBackAttempts: { readonly args: readonly string[]; readonly result: null };
}

/** To the cluster's thread: gives the lease back, so that nobody waits for this node. */
export interface ClusterStop {
  readonly kind: 'stop';
}

/** From the cluster's thread. */
export type ClusterMessage =
  | { readonly kind: 'log'; readonly lines: LogLines }
  /** Only another setting or another directory helps. */
  | { readonly kind: 'fatal'; readonly message: string };
