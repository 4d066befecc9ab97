import { assert } from '../../support/assert.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { Confirmation } from '../client/replica-protocol.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { nodesMax, readNodes } from '../sql/node-statements.ts';
import type { NodeRow } from '../sql/rows.ts';
import type { ClusterMeter } from './cluster-meter.ts';
import { heldUntil, isSilent, mayAcknowledge, type PeerSeen, seePeer } from './lease-rules.ts';

export interface AcknowledgementOptions {
  /** This node waits for all others, not for itself. */
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

/** Groups of changes that wait: the writer has far fewer. */
const waitingMax = 16_384;

/**
 * Which nodes have applied what, and which changes wait for them (`lease-rules.ts`). What is judged was read over the
 * connection that commits: another one may be to a server that a failover has left behind.
 */
export class Acknowledgements {
  readonly #options: AcknowledgementOptions;
  readonly #peers = new Map<string, Peer>();
  /** A node may report before its row was read. */
  readonly #reports = new Map<string, number>();
  #waiting: Waiting[] = [];
  /** Since the last commit, over the connection that commits. */
  #wereRead = false;
  /** When another server answered: nothing is acknowledged before all leases of then have run out. */
  #heldSince = Number.NEGATIVE_INFINITY;
  /** The longest lease that any node was seen with, its own included: one whose row is lost with a server may still be attached. */
  #longestLeaseMs: number;
  #losses = 0;
  /** Positions up to this one are on one server alone, though another is to have them, too. */
  #localOnly = 0;

  constructor(options: AcknowledgementOptions) {
    this.#options = options;
    this.#longestLeaseMs = options.leaseMs;
  }

  /** How often PostgreSQL was seen to lose a part of the history. */
  get losses(): number {
    return this.#losses;
  }

  /** How many changes wait. */
  get depth(): number {
    return this.#waiting.length;
  }

  /** How long the first of them has waited; 0 where none does. */
  get oldestMs(): number {
    const [first] = this.#waiting;
    return first === undefined ? 0 : monotonicMs() - first.since;
  }

  /** How many other nodes are waited for. */
  get peers(): number {
    return [...this.#peers.values()].filter(({ seen, leaseMs }) => !isSilent(seen, leaseMs)).length;
  }

  /**
   * Takes in what the table of nodes says.
   * @param sentAt when it was asked for: what it shows is not older
   */
  observe(rows: readonly NodeRow[], sentAt: number): void {
    const answeredAt = monotonicMs();
    const known = new Set<string>();
    for (const { id, counter, applied, leaseMs: toldLeaseMs } of rows) {
      if (id === this.#options.self()) continue;
      known.add(id);
      const peer = this.#peers.get(id);
      const seen = seePeer(peer?.seen ?? null, counter, sentAt, answeredAt);
      const told = Math.max(applied, peer?.applied ?? 0, this.#reports.get(id) ?? 0);
      const leaseMs = toldLeaseMs ?? this.#options.leaseMs;
      this.#longestLeaseMs = Math.max(this.#longestLeaseMs, leaseMs);
      this.#peers.set(id, { seen, applied: told, leaseMs });
    }
    for (const id of this.#peers.keys()) if (!known.has(id)) this.#peers.delete(id);
    for (const id of this.#reports.keys()) if (!known.has(id)) this.#reports.delete(id);
    // Of more, some were not shown: any of them may hold a lease.
    this.#wereRead = rows.length < nodesMax;
    this.#options.meter.showNodes(this.#peers.size, this.#peers.size - this.peers);
    this.settle();
  }

  /** Reads the table of nodes, over the connection that commits. @throws ConnectionOverError when the answer is late */
  async readNodes(connection: SqlConnection): Promise<void> {
    const sentAt = monotonicMs();
    this.observe(await readNodes(connection), sentAt);
  }

  /** A node says that it has applied a position. */
  reported(id: string, position: number): void {
    if (position > (this.#reports.get(id) ?? 0)) this.#reports.set(id, position);
    const peer = this.#peers.get(id);
    if (peer === undefined || position <= peer.applied) return;
    peer.applied = position;
    this.settle();
  }

  /** Commits go over another connection from now on: what was read over the one before counts no more. */
  forgetPeers(): void {
    this.#peers.clear();
    this.#wereRead = false;
  }

  /** This node has another name from now on: what others reported to the one before counts no more. */
  renamed(): void {
    this.#reports.clear();
    this.forgetPeers();
  }

  /** Another server answers, or the same one after a crash. */
  hold(): void {
    this.#heldSince = monotonicMs();
  }

  /**
   * PostgreSQL has lost a part of the history: what waits for it is not known to be stored. Renewals may be lost with it of nodes
   * that are still attached.
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

  /** Somebody cancelled the wait for the synchronous standby: what was committed until now may be on one server alone. */
  committedHereOnly(position: number): void {
    this.#localOnly = Math.max(this.#localOnly, position);
  }

  /** A commit was confirmed by the standby, too, and so is everything before it. */
  committed(position: number): void {
    if (position > this.#localOnly) this.#localOnly = 0;
  }

  /**
   * @param losses as it was when the position was in PostgreSQL: what was lost since is confirmed by nobody
   * @param since from when on the wait counts, on the monotonic clock: storing it has taken a part of it
   * @returns once every node whose lease may be valid has the position, or it has taken too long. Where nodes are not waited for,
   * once the servers of PostgreSQL have it that are to have it
   */
  everywhere(position: number, losses: number, since = monotonicMs()): Promise<Confirmation> {
    if (losses !== this.#losses) return Promise.resolve('unknown');
    assert(this.#waiting.length < waitingMax, 'the changes that wait for other nodes are bounded');
    return new Promise((settle) => {
      this.#waiting.push({ position, since, settle });
      this.settle();
    });
  }

  /** Settles what can be. Called again and again while something waits: nothing else sees that it takes too long. */
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
