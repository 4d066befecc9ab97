/**
 * The rules of leases as pure functions, without clock, thread or database. The cluster's thread uses them (except
 * that it always takes the safe answer of `positionOwed`, the head), and test/cluster/lease-model tries every order
 * of steps with them. Together they promise: when a change is acknowledged, every node that treats its state as
 * current has applied it. Times are milliseconds of the calling node's monotonic clock. No node compares its clock
 * with another's; clocks may run up to a tenth faster or slower.
 */

/** Safety margin for clock drift: a tenth of a lease, subtracted or added. */
const marginPart = 10;

/**
 * @param sentAtMs when the renewal was sent; no other node can have seen it before
 * @param leaseMs `BURGEE_CLUSTER_LEASE_MS` of the sender
 * @returns the time until which the sender may treat its state as current
 */
export function validUntil(sentAtMs: number, leaseMs: number): number {
  return sentAtMs + leaseMs - leaseMs / marginPart;
}

/**
 * @param leaseMs of the other node
 * @returns how long it must be silent before others stop waiting: longer than it treats its state as current
 */
export function silenceMs(leaseMs: number): number {
  return leaseMs + leaseMs / marginPart;
}

/** A committed renewal. */
export interface CommittedRenewal {
  /** Newest position of the cluster, read after the commit of the renewal. */
  readonly head: number;
  /** Whether the previous lease is still valid now. */
  readonly isStillValid: boolean;
  /** Whether the previous one was renewed over the same connection. Another server may never have seen it. */
  readonly isSameConnection: boolean;
}

/**
 * @returns the position that must be applied before the renewal counts. If the node was attached all the time, every
 * change has waited for it. Otherwise some may have been acknowledged without it
 */
export function positionOwed({ head, isStillValid, isSameConnection }: CommittedRenewal): number {
  return isStillValid && isSameConnection ? 0 : head;
}

/** What one connection has shown of another node. It does not carry over to the next connection. */
export interface PeerSeen {
  /** The node increments it with each renewal. */
  readonly counter: number;
  /** Time of the first answer with this counter. */
  readonly firstSeenMs: number;
  /** Time at which the newest read with this counter was sent. */
  readonly readSentMs: number;
}

/**
 * @param before null if the node was not seen before
 * @returns the node after another read
 */
export function seePeer(
  before: PeerSeen | null,
  counter: number,
  readSentMs: number,
  answeredMs: number,
): PeerSeen {
  if (before?.counter !== counter) return { counter, firstSeenMs: answeredMs, readSentMs };
  return { ...before, readSentMs: Math.max(before.readSentMs, readSentMs) };
}

/**
 * Whether changes no longer wait for a node. A read that was sent after its lease had run out must still show the
 * same counter: without such a read, a renewal may have been committed unnoticed.
 */
export function isSilent({ firstSeenMs, readSentMs }: PeerSeen, leaseMs: number): boolean {
  return readSentMs - firstSeenMs >= silenceMs(leaseMs);
}

/** Another node, for an acknowledgement. */
export interface Peer {
  readonly seen: PeerSeen;
  /** Newest position that it has reported. */
  readonly applied: number;
  /** Length of its lease, as published by the node. */
  readonly leaseMs: number;
}

/** A committed change that waits for its acknowledgement. */
export interface Acknowledging {
  readonly position: number;
  /** All other registered nodes. */
  readonly peers: Iterable<Peer>;
  /** Whether they were read over this connection after the commit. A node that joins later reads the head later. */
  readonly wereReadAfterCommit: boolean;
  /** From `heldUntil`; 0 without a delay. */
  readonly heldUntilMs: number;
  readonly nowMs: number;
}

/** @returns whether a change may be acknowledged: every node whose lease may be valid has applied it */
export function mayAcknowledge({ position, peers, ...change }: Acknowledging): boolean {
  if (!change.wereReadAfterCommit || change.nowMs < change.heldUntilMs) return false;
  for (const { seen, applied, leaseMs } of peers) {
    if (applied < position && !isSilent(seen, leaseMs)) return false;
  }
  return true;
}

/**
 * One run of a PostgreSQL server. A server that recovers from a killed backend continues the same run: it has lost
 * nothing that was committed.
 */
export interface ServerRun {
  /** `pg_postmaster_start_time()`, as text. */
  readonly startedAt: string;
  /** Incremented when a standby is promoted. */
  readonly timeline: number;
}

/**
 * - `same`: its reads of nodes continue the earlier ones;
 * - `new`: renewals may be lost although their nodes are still attached, so acknowledgements are delayed;
 * - `stale`: another server has been promoted since, so this one is not used.
 */
export type ServerJudgement = 'same' | 'new' | 'stale';

/**
 * @param before the newest run that this node was connected to. Null after a start: the node cannot know whether the
 * server has lost something, so every run counts as new
 */
export function judgeServer(before: ServerRun | null, now: ServerRun): ServerJudgement {
  if (before === null) return 'new';
  if (now.timeline < before.timeline) return 'stale';
  return now.timeline === before.timeline && now.startedAt === before.startedAt ? 'same' : 'new';
}

/**
 * Distinguishes a restored old backup from a demoted primary, both of which have a lower timeline: a restored copy
 * was started after the last answer of the newer server.
 * @param uptimeMs of this server, by its own clock
 * @param silentMs since the newer server's last answer
 */
export function isRestored(uptimeMs: number, silentMs: number): boolean {
  return uptimeMs + uptimeMs / marginPart < silentMs;
}

/**
 * @param leaseMs the longest known lease
 * @returns the time until which acknowledgements are delayed after a new run of the server: all leases have run out
 * by then
 */
export function heldUntil(noticedMs: number, leaseMs: number): number {
  return noticedMs + silenceMs(leaseMs);
}
