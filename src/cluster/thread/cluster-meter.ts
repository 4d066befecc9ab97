import { count, type MetricCells, observe, put } from '../../observability/metric-cells.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import {
  type ClusterCommitOutcome,
  type ClusterLinkName,
  clusterCommitOutcomes,
  clusterLinks,
  clusterMetrics,
  confirmationEnds,
} from '../client/cluster-metrics-protocol.ts';
import type { Confirmation } from '../client/replica-protocol.ts';

const { metrics } = clusterMetrics;

/** Counts the work of the cluster's thread. */
export class ClusterMeter {
  readonly cells: MetricCells;
  readonly #connected = new Set<ClusterLinkName>();
  #position = 0;
  #head = 0;

  constructor(memory: SharedArrayBuffer, waitMs: number) {
    this.cells = new Float64Array(memory);
    put(this.cells, metrics.waitLimit, waitMs / 1000);
    put(this.cells, metrics.nodes, 1);
  }

  /** Counts a connection of a link. Each after the first is a reconnect. */
  countConnection(link: ClusterLinkName): void {
    if (this.#connected.has(link)) count(this.cells, metrics.reconnects, clusterLinks.indexOf(link));
    this.#connected.add(link);
  }

  /** @param startedAt on the monotonic clock */
  countCommit(outcome: ClusterCommitOutcome, isLocked: boolean, startedAt: number): void {
    const seconds = (monotonicMs() - startedAt) / 1000;
    observe(this.cells, metrics.commitDuration, clusterCommitOutcomes.indexOf(outcome), seconds);
    if (isLocked && outcome === 'committed') count(this.cells, metrics.lockedCommits);
  }

  countWait(end: Confirmation, waitedMs: number): void {
    observe(this.cells, metrics.waitDuration, confirmationEnds.indexOf(end), waitedMs / 1000);
  }

  countRenewal(isRenewed: boolean): void {
    count(this.cells, metrics.renewals, isRenewed ? 0 : 1);
  }

  countTakeOver(): void {
    count(this.cells, metrics.takeOvers);
  }

  countFollowed(rows: number, bytes: number): void {
    count(this.cells, metrics.followedRows, 0, rows);
    count(this.cells, metrics.followedBytes, 0, bytes);
  }

  showWaiting(changes: number): void {
    put(this.cells, metrics.waiting, changes);
  }

  /**
   * @param others number of other nodes
   * @param silent those among them that changes do not wait for
   */
  showNodes(others: number, silent: number): void {
    put(this.cells, metrics.nodes, others + 1);
    put(this.cells, metrics.silentNodes, silent);
  }

  showClockSkew(aheadMs: number): void {
    put(this.cells, metrics.clockSkew, aheadMs / 1000);
  }

  /** @param position that the replica has applied */
  showPosition(position: number): void {
    this.#position = position;
    // The replica may be ahead of the head that was read, by its own commits.
    this.#showPlaces(Math.max(this.#head, position));
  }

  /**
   * @param head the newest known position
   * @param isNew whether another history begins, whose positions may be lower
   */
  showHead(head: number, isNew = false): void {
    this.#showPlaces(isNew ? head : Math.max(this.#head, head));
  }

  /**
   * Sets the time at which the replica was last caught up; it is scraped as an age.
   * @param at on the monotonic clock
   */
  showCaughtUp(at: number): void {
    put(this.cells, metrics.lagSeconds, at);
  }

  #showPlaces(head: number): void {
    this.#head = head;
    put(this.cells, metrics.position, this.#position);
    put(this.cells, metrics.head, head);
    put(this.cells, metrics.lag, Math.max(0, head - this.#position));
  }
}
