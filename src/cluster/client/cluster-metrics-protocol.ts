import { eventLoopActive, eventLoopDelay } from '../../observability/event-loop.ts';
import { counter, durationBounds, gauge, histogram, layOut } from '../../observability/metric.ts';

/**
 * Connections that a node keeps to PostgreSQL: one commits, one follows the log and renews the lease, one owns the
 * duties.
 */
export const clusterLinks = ['commits', 'following', 'upkeep'] as const;
export type ClusterLinkName = (typeof clusterLinks)[number];

/**
 * Outcome of an attempt to commit. `lost`: another node was faster, and the change is decided again. `unknown`:
 * PostgreSQL did not answer. `refused`: nothing was stored, because PostgreSQL was away or refused the change.
 */
export const clusterCommitOutcomes = ['committed', 'lost', 'unknown', 'refused'] as const;
export type ClusterCommitOutcome = (typeof clusterCommitOutcomes)[number];

export const confirmationEnds = ['everywhere', 'unconfirmed', 'unknown'] as const;
export const renewalOutcomes = ['renewed', 'failed'] as const;

/**
 * Only the cluster's thread writes these. `ClusterHost` computes ages and durations, so that they stay right while the
 * thread hangs.
 */
export const clusterMetrics = layOut({
  attached: gauge(
    'burgee_cluster_attached',
    '1 while the lease of this node is valid: the node has then applied every acknowledged change.',
  ),
  leaseRemaining: gauge(
    'burgee_cluster_lease_remaining_seconds',
    'Time until the lease ends, unless it is renewed.',
  ),
  position: gauge('burgee_cluster_position', 'The position of the log that this node has applied.'),
  head: gauge('burgee_cluster_head_position', 'The newest position that this node knows of.'),
  lag: gauge(
    'burgee_cluster_lag_positions',
    'How many positions this node is behind the newest it knows of.',
  ),
  lagSeconds: gauge(
    'burgee_cluster_lag_seconds',
    'Time since this node last had the whole log. It grows while the node is cut off.',
  ),
  renewals: counter(
    'burgee_cluster_renewals_total',
    'Renewals of the lease, and attempts that failed.',
    renewalOutcomes.map((outcome) => ({ outcome })),
  ),
  reconnects: counter(
    'burgee_cluster_reconnects_total',
    'Connections to PostgreSQL that replaced an earlier one.',
    clusterLinks.map((link) => ({ link })),
  ),
  commitDuration: histogram(
    'burgee_cluster_commit_duration_seconds',
    'Duration of attempts to commit to PostgreSQL, by outcome.',
    durationBounds,
    clusterCommitOutcomes.map((outcome) => ({ outcome })),
  ),
  lockedCommits: counter(
    'burgee_cluster_locked_commits_total',
    "Commits under the cluster's lock: of long changes, and of changes that lost to a faster node before.",
  ),
  waiting: gauge('burgee_cluster_waiting_changes', 'Commits that are stored and wait for other nodes.'),
  waitDuration: histogram(
    'burgee_cluster_wait_duration_seconds',
    'How long stored commits waited for all nodes to apply them, by how the wait ended.',
    durationBounds,
    confirmationEnds.map((end) => ({ end })),
  ),
  waitLimit: gauge('burgee_cluster_wait_limit_seconds', 'The longest wait: BURGEE_CLUSTER_WAIT_MS.'),
  nodes: gauge('burgee_cluster_nodes', 'Nodes that PostgreSQL lists, this one included.'),
  silentNodes: gauge(
    'burgee_cluster_silent_nodes',
    'Of these, nodes that are not waited for, because they have not renewed their lease.',
  ),
  takeOvers: counter(
    'burgee_cluster_take_overs_total',
    'How often the replica took over the whole state of PostgreSQL.',
  ),
  followedRows: counter(
    'burgee_cluster_followed_rows_total',
    'Rows fetched from the log: those of other nodes, and sometimes own ones.',
  ),
  followedBytes: counter('burgee_cluster_followed_bytes_total', 'Bytes of the changes in these rows.'),
  clockSkew: gauge(
    'burgee_cluster_clock_skew_seconds',
    "How far this machine's clock is ahead of PostgreSQL's: negative where it is behind.",
  ),
  loopActive: eventLoopActive('cluster'),
  loopDelay: eventLoopDelay('cluster'),
});
