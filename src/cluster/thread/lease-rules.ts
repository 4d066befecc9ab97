/**
 * The rules of leases, without a clock, a thread or a database: what is decided from what was seen. The cluster's thread
 * runs by them (but for `positionOwed`, of which it always takes the safe answer, the head), and test/cluster/lease-model tries every order of steps with them. What they promise together: when a
 * change has been acknowledged, every node that still takes its state for current has applied it.
 *
 * Times are milliseconds of the monotonic clock of the node that asks. No node compares its clock with another's: what
 * may differ is how fast clocks run, by a tenth either way.
 */

/** Of a lease, one part in so many is taken off it, or added to it, for clocks that run too slowly or too fast. */
const marginPart = 10;

/**
 * @param sentAtMs when the renewal was sent: nobody can have seen it before
 * @param leaseMs `BURGEE_CLUSTER_LEASE_MS` of the node that sent it
 * @returns until when the node that sent it may take its state for current
 */
export function validUntil(sentAtMs: number, leaseMs: number): number {
  return sentAtMs + leaseMs - leaseMs / marginPart;
}

/**
 * @param leaseMs of the node that is waited for
 * @returns how long it must have been silent before others go on without it: longer than it takes its state for current
 */
export function silenceMs(leaseMs: number): number {
  return leaseMs + leaseMs / marginPart;
}

/** A renewal that the database has committed. */
export interface CommittedRenewal {
  /** The newest position of the cluster, read after the renewal was committed. */
  readonly head: number;
  /** Whether the lease before it is still valid now, when the new one is to count. */
  readonly isStillValid: boolean;
  /** Whether that one was renewed over the same connection: another server may never have seen it. */
  readonly isSameConnection: boolean;
}

/**
 * @returns the position that must be applied before the renewal counts. Where the node was attached all the time, every
 * change has waited for it; where it was not, or not to this server, some may have been acknowledged without it
 */
export function positionOwed({ head, isStillValid, isSameConnection }: CommittedRenewal): number {
  return isStillValid && isSameConnection ? 0 : head;
}

/** What was seen of another node over one connection. What an earlier connection showed counts no more. */
export interface PeerSeen {
  /** The node raises it with each renewal. */
  readonly counter: number;
  /** When the first answer came that showed this counter. */
  readonly firstSeenMs: number;
  /** When the newest read was sent that shows it. */
  readonly readSentMs: number;
}

/** @param before what was seen until then; null: nothing. @returns what a read of the nodes has shown of one of them */
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
 * Whether a node is not waited for any more. A read that was sent when its lease had run out must still show the same
 * counter: silence alone does not tell, for a renewal may have been committed that nobody here has looked for.
 */
export function isSilent({ firstSeenMs, readSentMs }: PeerSeen, leaseMs: number): boolean {
  return readSentMs - firstSeenMs >= silenceMs(leaseMs);
}

/** Another node, as an acknowledgement looks at it. */
export interface Peer {
  readonly seen: PeerSeen;
  /** The newest position that it has reported. */
  readonly applied: number;
  /** How long its lease is, as it says itself. */
  readonly leaseMs: number;
}

/** What a change that is committed waits with. */
export interface Acknowledging {
  readonly position: number;
  /** Of all nodes that are registered, but this one. */
  readonly peers: Iterable<Peer>;
  /** Whether they were read over this connection, by a read that followed the commit: who joins later reads the head later. */
  readonly wereReadAfterCommit: boolean;
  /** As `heldUntil` says; 0: no time. */
  readonly heldUntilMs: number;
  readonly nowMs: number;
}

/** @returns whether a change may be acknowledged: every node that may take its state for current has applied it */
export function mayAcknowledge({ position, peers, ...change }: Acknowledging): boolean {
  if (!change.wereReadAfterCommit || change.nowMs < change.heldUntilMs) return false;
  for (const { seen, applied, leaseMs } of peers) {
    if (applied < position && !isSilent(seen, leaseMs)) return false;
  }
  return true;
}

/**
 * One run of a PostgreSQL server, as a connection shows it. A server that has recovered because one of its backends was
 * killed goes on with the same run: it has lost nothing that was committed.
 */
export interface ServerRun {
  /** `pg_postmaster_start_time()`, as text. */
  readonly startedAt: string;
  /** Raised when a standby is promoted. */
  readonly timeline: number;
}

/**
 * - `same`: what it says of nodes goes on from what it said before;
 * - `new`: renewals may be lost with which nodes are still attached, so acknowledgements are held back;
 * - `stale`: another server has been promoted since: nothing is asked of this one.
 */
export type ServerJudgement = 'same' | 'new' | 'stale';

/**
 * @param before the newest run that this node was connected to; null: none. A node that has just started knows of none, and
 * cannot tell whether the server has just lost something: to it every run is new
 */
export function judgeServer(before: ServerRun | null, now: ServerRun): ServerJudgement {
  if (before === null) return 'new';
  if (now.timeline < before.timeline) return 'stale';
  return now.timeline === before.timeline && now.startedAt === before.startedAt ? 'same' : 'new';
}

/**
 * Whether a server of a lower timeline than one before is a copy from before a failover that somebody has restored, and not
 * the one that the failover has left behind: it was started after the newer one had answered for the last time.
 * @param uptimeMs for how long it runs, by its own clock
 * @param silentMs since when the newer one has not answered
 */
export function isRestored(uptimeMs: number, silentMs: number): boolean {
  return uptimeMs + uptimeMs / marginPart < silentMs;
}

/**
 * @param leaseMs the longest lease that is known of
 * @returns until when acknowledgements are held back after a new run of the server was noticed: all leases have run out by then
 */
export function heldUntil(noticedMs: number, leaseMs: number): number {
  return noticedMs + silenceMs(leaseMs);
}
