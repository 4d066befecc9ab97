import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { schemaVersion } from '../sql/schema.ts';
import { type ClusterStatus, type NodeStatus, readStatus } from '../sql/upkeep-statements.ts';

export interface JudgedNode extends NodeStatus {
  /** Number of rows of the first read that it has not applied. */
  readonly lag: number;
  /** Its lease is valid, and it has applied all rows that it must have. */
  readonly isReady: boolean;
}

export interface JudgedStatus extends Omit<ClusterStatus, 'nodes'> {
  readonly nodes: readonly JudgedNode[];
  /** Problems. The cluster is sound without any. */
  readonly problems: readonly string[];
  /** Remarks about conditions that may be intended. */
  readonly notes: readonly string[];
}

const lookEveryMs = 200;

/**
 * Judges a cluster. A node publishes its position only with each renewal, so one that seems to be behind gets the
 * time of its lease to publish a newer one.
 * @throws NoClusterError
 */
export async function judgeStatus(connection: SqlConnection): Promise<JudgedStatus> {
  const begunAt = monotonicMs();
  let status = await readStatus(connection);
  const { position } = status.head;
  const isAwaited = (node: NodeStatus): boolean =>
    node.applied < position && !isLapsed(node) && monotonicMs() < begunAt + node.leaseMs;
  while (status.nodes.some(isAwaited)) {
    await pause(lookEveryMs);
    status = await readStatus(connection);
  }
  const nodes = status.nodes.map((node) => judgeNode(node, status, position));
  return { ...status, nodes, problems: [...problemsOf(status, nodes)], notes: [...notesOf(status)] };
}

function isLapsed({ renewedMsAgo, leaseMs }: NodeStatus): boolean {
  return renewedMsAgo > leaseMs;
}

function judgeNode(node: NodeStatus, { head }: ClusterStatus, position: number): JudgedNode {
  const lag = Math.max(0, position - node.applied);
  const isReady = lag === 0 && !isLapsed(node) && node.knowsFormat >= head.format && head.closedAt === null;
  return { ...node, lag, isReady };
}

function* problemsOf({ head }: ClusterStatus, nodes: readonly JudgedNode[]): Generator<string> {
  if (head.closedAt !== null)
    yield 'the cluster was closed by `burgee cluster leave`: nothing can be changed';
  else if (nodes.length === 0) yield 'no node runs';
  if (head.schema !== schemaVersion)
    yield `the tables have version ${head.schema}, and this command knows ${schemaVersion}: use another one`;
  for (const node of nodes) {
    const { id, label, lag, knowsFormat } = node;
    const who = `node ${id} (${label})`;
    if (isLapsed(node)) {
      const seconds = (node.renewedMsAgo / 1000).toFixed(1);
      yield `${who} has not renewed its lease for ${seconds} s: it is dead, frozen or cut off`;
    } else if (lag > 0) yield `${who} is ${lag} changes behind, and was given ${node.leaseMs / 1000} s`;
    if (knowsFormat < head.format) yield `${who} cannot read the newest changes: upgrade it`;
  }
}

function* notesOf({ standbys }: ClusterStatus): Generator<string> {
  if (standbys.some(({ isSynchronous }) => isSynchronous)) return;
  yield 'no synchronous standby is seen: a failover can lose the newest changes (the role sees standbys as a member of pg_monitor)';
}
