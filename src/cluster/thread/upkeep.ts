import { FailureLog, pauseUntil } from '../../observability/failure-log.ts';
import type { Logger } from '../../observability/logger.ts';
import type { LeaseCell } from '../../support/lease-cell.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import { removeOldAttempts } from '../sql/attempt-statements.ts';
import type { SqlConnection } from '../sql/connection.ts';
import { readNodes, removeDead } from '../sql/node-statements.ts';
import type { NodeRow } from '../sql/rows.ts';
import { type Duty, endWhenSilent, takeDuty, trimLog } from '../sql/upkeep-statements.ts';
import { type PeerSeen, seePeer } from './lease-rules.ts';
import type { PrimaryLink } from './primary-link.ts';
import { removeOldUsage } from './usage-exchange.ts';

export interface UpkeepOptions {
  /** A link of its own: duties belong to a connection, and end with it. */
  readonly link: PrimaryLink;
  /** The node's lease: without it a node has no duties. */
  readonly lease: LeaseCell;
  /** Valid while this node holds the duty `mail`; null without a mail server. */
  readonly mail: LeaseCell | null;
  readonly log: Logger;
  /** Periodic work of each node, over the same connection. */
  onTurn(connection: SqlConnection): Promise<void>;
  /** The next four are for tests. */
  readonly logRowsKept?: number;
  readonly logAgeKeptMs?: number;
  readonly trimEveryMs?: number;
  readonly deadAfterMs?: number;
}

/**
 * Log rows that are kept however old, so that a node that was away follows the log instead of taking a whole state.
 */
const logRowsKept = 10_000;
/** Age up to which rows are kept, however many. */
const logAgeKeptMs = 24 * 60 * 60 * 1000;
const trimEveryMs = 60_000;
/** Maximum of trimming statements in one pass, of 2,000 rows each. */
const trimsOfTurn = 20;
/** Time for removing counts of one kind in one pass, 10,000 per statement. Duties are renewed in between. */
const removalMs = 2000;
/** A node without a renewal for this long is removed. */
const deadAfterMs = 10 * 60 * 1000;
/** Interval of attempts to acquire duties. */
const turnMs = 2000;
/** PostgreSQL ends a connection that is silent for this long, and with it its duties. */
const silentMs = 6000;
/** Time for which a duty counts as held after a statement: less than `silentMs`, for clocks that drift by a tenth. */
const heldMs = 5000;
const afterFaultMs = 1000;

/**
 * Work of one node at a time: trimming the log, removing dead nodes, and mails, for which the notifier reads a lease
 * cell. A duty moves to another node when its node ends, stands still or is cut off.
 */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #duties: readonly Duty[];
  readonly #stopped = new AbortController();
  #trimmedAt = Number.NEGATIVE_INFINITY;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#duties = options.mail === null ? ['trimming', 'clean-up'] : ['mail', 'trimming', 'clean-up'];
  }

  /** Acquires and performs duties until `stop`. Never rejects. */
  async run(): Promise<void> {
    const { link, log, lease } = this.#options;
    const failures = new FailureLog(log, 'the upkeep of the cluster is interrupted');
    while (!this.#isStopping) {
      try {
        if (lease.isValid()) await this.#serve(await link.get());
        failures.succeeded();
      } catch (fault) {
        if (!this.#isStopping) failures.tell(fault);
      }
      await this.#pause(afterFaultMs);
    }
  }

  get #isStopping(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** Waits for this time, or until `stop`. */
  async #pause(ms: number): Promise<void> {
    await pauseUntil(ms, this.#stopped.signal);
  }

  /** Performs duties until the node has no lease or the connection ends. */
  async #serve(connection: SqlConnection): Promise<void> {
    const held = new Set<Duty>();
    const seen = new Map<string, PeerSeen>();
    try {
      await endWhenSilent(connection, silentMs);
      while (!this.#isStopping && this.#options.lease.isValid()) {
        const begunAt = monotonicMs();
        await this.#ask(connection, held);
        const readSentAt = monotonicMs();
        const nodes = await readNodes(connection);
        see(seen, nodes, readSentAt);
        this.#noteMail(held, begunAt);
        if (held.has('trimming')) await this.#trim(connection);
        if (held.has('clean-up')) await this.#removeDead(connection, seen);
        await this.#options.onTurn(connection);
        await Promise.race([this.#pause(Math.max(0, begunAt + turnMs - monotonicMs())), connection.ended]);
      }
    } finally {
      this.#options.mail?.end();
      connection.destroy('the duties of this node end');
    }
  }

  async #ask(connection: SqlConnection, held: Set<Duty>): Promise<void> {
    for (const duty of this.#duties) {
      if (held.has(duty) || !(await takeDuty(connection, duty))) continue;
      held.add(duty);
      this.#options.log.info({ duty }, 'this node has a duty of the cluster now');
    }
  }

  #noteMail(held: ReadonlySet<Duty>, askedAt: number): void {
    const { mail } = this.#options;
    if (mail === null || !held.has('mail')) return;
    const untilMs = askedAt + heldMs;
    mail.renew(untilMs, Date.now() + (untilMs - monotonicMs()));
  }

  async #trim(connection: SqlConnection): Promise<void> {
    const now = monotonicMs();
    if (now - this.#trimmedAt < (this.#options.trimEveryMs ?? trimEveryMs)) return;
    this.#trimmedAt = now;
    const bounds = {
      rows: this.#options.logRowsKept ?? logRowsKept,
      ageMs: this.#options.logAgeKeptMs ?? logAgeKeptMs,
    };
    let removed = 0;
    for (let times = 0; times < trimsOfTurn; times += 1) {
      const more = await trimLog(connection, bounds);
      removed += more;
      if (more === 0) break;
    }
    if (removed > 0) this.#options.log.info({ removed }, 'the log of the cluster was trimmed');
    await removeAll(() => removeOldUsage(connection));
    await removeAll(() => removeOldAttempts(connection));
  }

  async #removeDead(connection: SqlConnection, seen: ReadonlyMap<string, PeerSeen>): Promise<void> {
    for (const [id, { counter, firstSeenMs, readSentMs }] of seen) {
      if (readSentMs - firstSeenMs < (this.#options.deadAfterMs ?? deadAfterMs)) continue;
      if (await removeDead(connection, id, counter))
        this.#options.log.info({ node: id }, 'a node that ended without leaving was taken off the list');
    }
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#options.link.end();
  }
}

/** @param remove returns how many rows it has removed, 0 when none are left */
async function removeAll(remove: () => Promise<number>): Promise<void> {
  const until = monotonicMs() + removalMs;
  while ((await remove()) > 0 && monotonicMs() < until);
}

/** Records a read of the nodes over one connection. */
function see(seen: Map<string, PeerSeen>, nodes: readonly NodeRow[], readSentAt: number): void {
  const answeredAt = monotonicMs();
  const known = new Set(nodes.map(({ id }) => id));
  for (const id of seen.keys()) if (!known.has(id)) seen.delete(id);
  for (const { id, counter } of nodes) {
    seen.set(id, seePeer(seen.get(id) ?? null, counter, readSentAt, answeredAt));
  }
}
