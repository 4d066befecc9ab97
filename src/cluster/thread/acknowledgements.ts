import { assert } from '../../support/assert.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { Confirmation } from '../client/replica-protocol.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { nodesMax, readNodes } from '../sql/node-statements.ts';
import type { NodeRow } from '../sql/rows.ts';
import type { ClusterMeter } from './cluster-meter.ts';
import { heldUntil, isSilent, mayAcknowledge, type PeerSeen, seePeer } from './lease-rules.ts';

export interface AcknowledgementOptions {
  /** This node's id: changes wait for all others. */
  self(): string;
  readonly leaseMs: number;
  readonly waitMs: number;
  readonly wait: 'all' | 'none';
  readonly meter: ClusterMeter;
}

/** Another node. */
interface Peer {
  seen: PeerSeen;
  applied: number;
  leaseMs: number;
}

interface Waiting {
  readonly position: number;
  readonly since: number;
  settle(confirmation: Confirmation): void;
}

/** Maximum of waiting groups of changes. The writer has far fewer. */
const waitingMax = 16_384;

/**
 * Tracks what other nodes have applied, and which changes wait for them (`lease-rules.ts`). Nodes are read over the
 * connection that commits: another one may lead to a demoted primary.
 */
export class Acknowledgements {
  readonly #options: AcknowledgementOptions;
  readonly #peers = new Map<string, Peer>();
  /** Reports by node. A node may report before its row was read. */
  readonly #reports = new Map<string, number>();
  #waiting: Waiting[] = [];
  /** Whether the nodes were read since the last commit, over the connection that commits. */
  #wereRead = false;
  /** Time at which another server answered. Nothing is acknowledged until all leases of that time have run out. */
  #heldSince = Number.NEGATIVE_INFINITY;
  /**
   * Longest lease of any node seen, this one included. A node whose row was lost with a server may still be attached.
   */
  #longestLeaseMs: number;
  #losses = 0;
  /** Positions up to this one may be missing on the synchronous standby. */
  #localOnly = 0;

  constructor(options: AcknowledgementOptions) {
    this.#options = options;
    this.#longestLeaseMs = options.leaseMs;
  }

  /** Number of losses of history that were noticed. */
  get losses(): number {
    return this.#losses;
  }

  /** Number of waiting changes. */
  get depth(): number {
    return this.#waiting.length;
  }

  /** Waiting time of the first one; 0 if none waits. */
  get oldestMs(): number {
    const [first] = this.#waiting;
    return first === undefined ? 0 : monotonicMs() - first.since;
  }

  /** Number of nodes that changes wait for. */
  get peers(): number {
    return [...this.#peers.values()].filter(({ seen, leaseMs }) => !isSilent(seen, leaseMs)).length;
  }

  /**
   * Applies a read of the table of nodes.
   * @param sentAt when the read was sent: its result is not older
   */
  observe(rows: readonly NodeRow[], sentAt: number): void {
    const answeredAt = monotonicMs();
    const known = new Set<string>();
    for (const { id, counter, applied, leaseMs } of rows) {
      if (id === this.#options.self()) continue;
      known.add(id);
      const peer = this.#peers.get(id);
      const seen = seePeer(peer?.seen ?? null, counter, sentAt, answeredAt);
      const newest = Math.max(applied, peer?.applied ?? 0, this.#reports.get(id) ?? 0);
      this.#longestLeaseMs = Math.max(this.#longestLeaseMs, leaseMs);
      this.#peers.set(id, { seen, applied: newest, leaseMs });
    }
    for (const id of this.#peers.keys()) if (!known.has(id)) this.#peers.delete(id);
    for (const id of this.#reports.keys()) if (!known.has(id)) this.#reports.delete(id);
    // Beyond the maximum some nodes are missing, and any of them may hold a lease.
    this.#wereRead = rows.length < nodesMax;
    this.#options.meter.showNodes(this.#peers.size, this.#peers.size - this.peers);
    this.settle();
  }

  /**
   * Reads the table of nodes over the connection that commits.
   * @throws ConnectionOverError on timeout
   */
  async readNodes(connection: SqlConnection): Promise<void> {
    const sentAt = monotonicMs();
    this.observe(await readNodes(connection), sentAt);
  }

  /** A node has applied a position. */
  reported(id: string, position: number): void {
    if (position > (this.#reports.get(id) ?? 0)) this.#reports.set(id, position);
    const peer = this.#peers.get(id);
    if (peer === undefined || position <= peer.applied) return;
    peer.applied = position;
    this.settle();
  }

  /** Forgets what was read over the previous connection, because commits use another one now. */
  forgetPeers(): void {
    this.#peers.clear();
    this.#wereRead = false;
  }

  /** Forgets reports to the previous name of this node. */
  renamed(): void {
    this.#reports.clear();
    this.forgetPeers();
  }

  /** Delays acknowledgements, because another server answers, or the same one after a crash. */
  hold(): void {
    this.#heldSince = monotonicMs();
  }

  /**
   * PostgreSQL has lost a part of the history. The outcome of waiting changes is unknown. It may have lost renewals
   * of nodes that are still attached.
   */
  historyLost(): void {
    this.#losses += 1;
    this.hold();
    const lost = this.#waiting;
    this.#waiting = [];
    this.renamed();
    this.#localOnly = 0;
    for (const one of lost) this.#end(one, 'unknown');
    this.#options.meter.showWaiting(0);
  }

  /** The wait for the synchronous standby was cancelled: commits up to now may be on one server alone. */
  committedHereOnly(position: number): void {
    this.#localOnly = Math.max(this.#localOnly, position);
  }

  /** The standby has confirmed a commit, and with it everything before. */
  committed(position: number): void {
    if (position > this.#localOnly) this.#localOnly = 0;
  }

  /**
   * @param losses the loss counter at commit time; a later loss invalidates the confirmation
   * @param since start of the wait on the monotonic clock; storing has taken a part of it
   * @returns once every node whose lease may be valid has the position, or after the timeout. If nodes are not waited
   * for, once PostgreSQL's synchronous standby has it
   */
  everywhere(position: number, losses: number, since = monotonicMs()): Promise<Confirmation> {
    if (losses !== this.#losses) return Promise.resolve('unknown');
    assert(this.#waiting.length < waitingMax, 'the changes that wait for other nodes are bounded');
    return new Promise((settle) => {
      this.#waiting.push({ position, since, settle });
      this.settle();
    });
  }

  /**
   * Settles all changes that can be. It is called periodically while changes wait, because it also detects their
   * timeouts.
   */
  settle(): void {
    if (this.#waiting.length === 0) return;
    const now = monotonicMs();
    this.#waiting = this.#waiting.filter((one) => {
      const isEverywhere = this.#isDurable(one.position) && this.#isEverywhere(one.position, now);
      if (!isEverywhere && now - one.since <= this.#options.waitMs) return true;
      this.#end(one, isEverywhere ? 'everywhere' : 'unconfirmed');
      return false;
    });
    this.#options.meter.showWaiting(this.#waiting.length);
  }

  #end({ since, settle }: Waiting, confirmation: Confirmation): void {
    this.#options.meter.countWait(confirmation, monotonicMs() - since);
    settle(confirmation);
  }

  #isEverywhere(position: number, nowMs: number): boolean {
    if (this.#options.wait === 'none') return true;
    return mayAcknowledge({
      ...{ position, nowMs, heldUntilMs: heldUntil(this.#heldSince, this.#longestLeaseMs) },
      ...{ peers: this.#peers.values(), wereReadAfterCommit: this.#wereRead },
    });
  }

  #isDurable(position: number): boolean {
    return this.#localOnly === 0 || position > this.#localOnly;
  }
}
