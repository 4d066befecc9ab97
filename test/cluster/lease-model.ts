import {
  heldUntil,
  isSilent,
  judgeServer,
  mayAcknowledge,
  type PeerSeen,
  positionOwed,
  seePeer,
  validUntil,
} from '../../src/cluster/thread/lease-rules.ts';
import { explore, type Step } from './explore.ts';
import {
  connections,
  fields,
  forgetWriter,
  newCounter,
  noRead,
  phases,
  type Read,
  readOf,
  readPhases,
  renamed,
  runs,
  type Slot,
  type State,
  slotOf,
  start,
} from './lease-model-state.ts';

/*
 * A writer W, a node N and a database that holds one change. Every order of their steps is tried, of any length: messages
 * take as long as they like or get lost, each process stands still for as long as it likes, and the database may crash and
 * lose renewals. What is looked for is an evaluation on N that begins after the change was acknowledged, is answered
 * without a word of being detached, and does not show the change.
 *
 * N's clock is as slow, and W's as fast, as clocks may be. What is older than a lease is not told apart, so that there are
 * finitely many states; counters are kept by which of them are equal.
 */

/** Milliseconds that a tick takes on each clock; a lease is so many ticks of a right one. */
const tickMs = { right: 1000, node: 900, writer: 1100 } as const;

/**
 * The rules of the design, each with a weaker one in its place: with any of them there must be a stale answer. Each with how
 * many crashes of the database it takes.
 */
export const weakenings = {
  'the head is read in the snapshot of the renewal': 0,
  'the head is not looked at': 0,
  'a lease goes on over a new connection': 1,
  'the head is looked at in the snapshot of the renewal, and only after a lapse': 0,
  'a lease begins with the answer': 0,
  'the nodes are read before the commit': 0,
  'the nodes are read over two connections': 0,
  'a node is skipped without a fresh read': 0,
  'the database tells who is silent, by a clock that it looks at after its snapshot': 0,
  'nobody holds back after a crash that lost renewals': 1,
  'a writer that has just started does not hold back': 1,
  'a new connection counts on what the one before has read': 0,
  'the state is read before the lease is looked at': 0,
  'the clock of a node runs at half the speed': 0,
  'the clock of a node stands still in a pause, and no other is looked at': 0,
} as const;
export type Weakening = keyof typeof weakenings;

export interface LeaseModelOptions {
  readonly weakening: Weakening | null;
  /** How many ticks a lease has: 3 at most. */
  readonly leaseTicks: number;
  readonly crashesMax: number;
  /** Reads of the nodes that may be on their way at once, over one connection. */
  readonly reads: 1 | 2;
}

/** @returns the steps to a stale answer, if there are any, and how many states there are otherwise */
export function findStaleAnswer(options: LeaseModelOptions): {
  readonly states: number;
  readonly steps: readonly string[] | null;
} {
  return explore(fields, start, (state) => new Steps(state, options).all());
}

/** What can happen next in one state. */
class Steps {
  readonly #state: State;
  readonly #options: LeaseModelOptions;
  readonly #leaseMs: number;
  readonly #nodeTickMs: number;
  /** What is older is not told apart: no lease lasts longer on any clock. */
  readonly #ageMax: number;

  constructor(state: State, options: LeaseModelOptions) {
    this.#state = state;
    this.#options = options;
    this.#leaseMs = options.leaseTicks * tickMs.right;
    this.#nodeTickMs = this.#is('the clock of a node runs at half the speed')
      ? tickMs.right / 2
      : tickMs.node;
    const slowest = this.#nodeTickMs === tickMs.node ? 1 : 2;
    this.#ageMax = options.leaseTicks * slowest;
  }

  #is(weakening: Weakening): boolean {
    return this.#options.weakening === weakening;
  }

  *all(): Generator<Step<State>> {
    yield* this.#passTime();
    yield* this.#renew();
    yield* this.#follow();
    yield* this.#crash();
    yield* this.#evaluate();
    if (this.#state.hasAcknowledged === 1) return;
    yield* this.#connect();
    yield* this.#write();
    yield* this.#readNodes();
    yield* this.#removeSilent();
    yield* this.#acknowledge();
  }

  #older(age: number): number {
    return Math.min(age + 1, this.#ageMax);
  }

  *#passTime(): Generator<Step<State>> {
    const { sentAge, validTicks, heldTicks, seenAge, renewedAge, firstAge, secondAge } = this.#state;
    const others = {
      heldTicks: Math.max(0, heldTicks - 1),
      seenAge: this.#older(seenAge),
      renewedAge: this.#older(renewedAge),
      firstAge: this.#older(firstAge),
      secondAge: this.#older(secondAge),
    };
    const node = { sentAge: this.#older(sentAge), validTicks: Math.max(0, validTicks - 1) };
    yield this.#step('time passes', { ...others, ...node });
    if (this.#is('the clock of a node stands still in a pause, and no other is looked at')) {
      yield this.#step('time passes, and N is paused', others);
    }
  }

  /** A state that follows. What does not matter any more is as it was in the beginning, so that it is one state. */
  #step(name: string, change: Partial<State>): Step<State> {
    const to = { ...this.#state, ...change };
    if (to.phase === phases.idle) to.sentAge = 0;
    if (to.phase < phases.read) to.headRead = 0;
    if (to.phase === phases.idle) to.isOverFormer = 0;
    if (to.validTicks === 0) to.isSameConnection = 0;
    if (to.counter === 0 || !this.#isJudgedByDatabase) to.renewedAge = 0;
    if (to.hasAcknowledged === 1) return { name, to: renamed(forgetWriter(to)) };
    if (to.seen === 0) Object.assign(to, { seenAge: 0, silence: 0, firstSince: 0, secondSince: 0 });
    if (to.firstPhase === readPhases.none && !this.#areReadTwice) {
      Object.assign(to, slotOf('first', readOf(to, 'second')), slotOf('second', noRead));
    }
    for (const slot of ['first', 'second'] as const) {
      if (!this.#isJudgedByDatabase || to[`${slot}Phase`] !== readPhases.snapshot) to[`${slot}Age`] = 0;
    }
    return { name, to: renamed(to) };
  }

  get #isJudgedByDatabase(): boolean {
    return this.#is('the database tells who is silent, by a clock that it looks at after its snapshot');
  }

  // N and its lease.

  *#renew(): Generator<Step<State>> {
    const { phase, isGhostOnItsWay, hasChange } = this.#state;
    const committed = { counter: newCounter, renewedAge: 0 };
    if (phase === phases.idle) yield this.#step('N sends a renewal', { phase: phases.sent, sentAge: 0 });
    if (isGhostOnItsWay === 1) {
      yield this.#step('the database commits a renewal that N has given up', {
        ...committed,
        isGhostOnItsWay: 0,
      });
    }
    if (this.#isHeadInSnapshot) {
      if (phase === phases.sent) {
        yield this.#step('the database reads the head for N', {
          phase: phases.headFirst,
          headRead: hasChange,
        });
      }
      if (phase === phases.headFirst) {
        yield this.#step('the database commits the renewal', { ...committed, phase: phases.read });
      }
    } else {
      if (phase === phases.sent) {
        yield this.#step('the database commits the renewal', { ...committed, phase: phases.committed });
      }
      if (phase === phases.committed) {
        yield this.#step('the database reads the head for N', { phase: phases.read, headRead: hasChange });
      }
    }
    if (phase !== phases.idle) {
      const isOnItsWay = phase === phases.sent || phase === phases.headFirst ? 1 : isGhostOnItsWay;
      yield this.#step('N gives the renewal up', { phase: phases.idle, isGhostOnItsWay: isOnItsWay });
      yield this.#step('the renewal is lost', { phase: phases.idle });
    }
    if (phase === phases.read && this.#state.hasApplied >= this.#owed()) yield this.#beginLease();
  }

  get #isHeadInSnapshot(): boolean {
    return (
      this.#is('the head is read in the snapshot of the renewal') ||
      this.#is('the head is looked at in the snapshot of the renewal, and only after a lapse')
    );
  }

  #owed(): number {
    const { headRead: head, validTicks, isSameConnection } = this.#state;
    if (this.#is('the head is not looked at')) return 0;
    if (this.#is('the head is read in the snapshot of the renewal')) return head;
    return positionOwed({
      head,
      isStillValid: validTicks > 0,
      isSameConnection: isSameConnection === 1 || this.#is('a lease goes on over a new connection'),
    });
  }

  #beginLease(): Step<State> {
    const { sentAge, validTicks, isOverFormer } = this.#state;
    const now = 0;
    const sentAt = this.#is('a lease begins with the answer') ? now : now - sentAge * this.#nodeTickMs;
    const untilMs = validUntil(sentAt, this.#leaseMs);
    const ticks = Math.ceil(Math.max(0, untilMs - now) / this.#nodeTickMs);
    return this.#step('N has its lease', {
      phase: phases.idle,
      validTicks: Math.max(validTicks, ticks),
      isSameConnection: 1 - isOverFormer,
    });
  }

  *#follow(): Generator<Step<State>> {
    const { hasChange, hasApplied, hasReport, hasAcknowledged } = this.#state;
    if (hasChange > hasApplied) yield this.#step('N applies the change', { hasApplied: 1 });
    if (hasApplied > hasReport && hasAcknowledged === 0) {
      yield this.#step('W hears that N has applied it', { hasReport: 1 });
    }
  }

  /** An evaluation on N that begins after the acknowledgement. */
  *#evaluate(): Generator<Step<State>> {
    const { hasAcknowledged, validTicks, hasApplied, isLookedValid, hasReadOld } = this.#state;
    if (hasAcknowledged === 0) return;
    const isAttached = validTicks > 0;
    if (this.#is('the state is read before the lease is looked at')) {
      if (hasApplied === 0) yield this.#step('an evaluation reads the state', { hasReadOld: 1 });
      if (hasReadOld === 1 && isAttached) yield { name: 'it looks at the lease, and answers', to: null };
      return;
    }
    if (isAttached) yield this.#step('an evaluation looks at the lease', { isLookedValid: 1 });
    if (isLookedValid === 1 && hasApplied === 0) yield { name: 'it reads the state, and answers', to: null };
    if (isLookedValid === 1) yield this.#step('it reads the state, and answers', { isLookedValid: 0 });
  }

  // The database.

  /** Renewals may be lost, and with them the node; the change is not. Connections break, and nothing is on its way to it. */
  *#crash(): Generator<Step<State>> {
    const { crashes, phase, connection, serverRun } = this.#state;
    if (crashes >= this.#options.crashesMax) return;
    const broken = {
      crashes: crashes + 1,
      phase: phase === phases.read ? phase : phases.idle,
      isSameConnection: 0,
      isOverFormer: 1,
      isGhostOnItsWay: 0,
      connection: connection === connections.up ? connections.broken : connection,
      serverRun: serverRun === runs.unknown ? runs.unknown : runs.former,
      ...this.#readsNotExecuted(),
    };
    yield this.#step('the database crashes', broken);
    yield this.#step('the database crashes, and renewals are lost', { ...broken, counter: 0 });
  }

  #readsNotExecuted(): Partial<State> {
    const isAnswered = (slot: Slot): boolean => this.#state[`${slot}Phase`] === readPhases.answered;
    return {
      ...(isAnswered('first') ? {} : slotOf('first', noRead)),
      ...(isAnswered('second') ? {} : slotOf('second', noRead)),
    };
  }

  // W.

  *#connect(): Generator<Step<State>> {
    const { connection, serverRun, seen, wereReadAfterCommit } = this.#state;
    if (connection !== connections.none) {
      const keeps = this.#is('a new connection counts on what the one before has read');
      yield this.#step('the connection of W breaks', {
        connection: connections.none,
        seen: 0,
        wereReadAfterCommit: keeps ? wereReadAfterCommit : 0,
        isDeadByDatabase: 0,
        ...slotOf('first', noRead),
        ...slotOf('second', noRead),
      });
      return;
    }
    const before = { [runs.unknown]: null, [runs.current]: runOf('2'), [runs.former]: runOf('1') }[serverRun];
    const judgement = judgeServer(before ?? null, runOf('2'));
    const isTrusted =
      (this.#is('nobody holds back after a crash that lost renewals') && serverRun === runs.former) ||
      (this.#is('a writer that has just started does not hold back') && serverRun === runs.unknown);
    const untilMs = judgement === 'same' || isTrusted ? 0 : heldUntil(0, this.#leaseMs);
    const heldTicks = Math.max(this.#state.heldTicks, Math.ceil(untilMs / tickMs.writer));
    yield this.#step('W connects', { connection: connections.up, serverRun: runs.current, heldTicks, seen });
  }

  *#write(): Generator<Step<State>> {
    const { hasChange, connection } = this.#state;
    if (hasChange === 0 && connection === connections.up) {
      yield this.#step('the database commits the change', { hasChange: 1 });
    }
  }

  *#readNodes(): Generator<Step<State>> {
    const { firstPhase, secondPhase, connection, seen, seenAge } = this.#state;
    const areTwo = this.#areReadTwice || this.#options.reads === 2;
    const free = firstPhase === 0 ? 'first' : areTwo && secondPhase === 0 ? 'second' : null;
    if (free !== null && connection === connections.up) {
      const since = seen === 0 ? 0 : seenAge;
      yield this.#step(
        'W sends a read of the nodes',
        slotOf(free, { ...noRead, phase: readPhases.sent, since }),
      );
    }
    yield* this.#goOn('first');
    // Over one connection the second one comes behind the first in each of its steps.
    if (this.#areReadTwice || firstPhase === 0 || firstPhase > secondPhase) yield* this.#goOn('second');
  }

  get #areReadTwice(): boolean {
    return this.#is('the nodes are read over two connections');
  }

  *#goOn(slot: Slot): Generator<Step<State>> {
    const state = this.#state;
    const read = readOf(state, slot);
    const change = (to: Partial<Read>): Partial<State> => slotOf(slot, { ...read, ...to });
    if (read.phase === readPhases.sent) {
      const { counter, renewedAge: age } = state;
      const isAfter = this.#is('the nodes are read before the commit') ? 1 : state.hasChange;
      const phase = this.#isJudgedByDatabase ? readPhases.snapshot : readPhases.answered;
      yield this.#step('the database reads the nodes for W', change({ phase, isAfter, counter, age }));
    }
    if (read.phase === readPhases.snapshot) {
      const isDead = read.age >= this.#options.leaseTicks ? 1 : 0;
      yield this.#step('it looks at its clock', change({ phase: readPhases.answered, isDead }));
    }
    if (read.phase === readPhases.answered) yield this.#takeNodes(slot, read);
  }

  #takeNodes(slot: Slot, read: Read): Step<State> {
    const gone = {
      ...slotOf(slot, noRead),
      wereReadAfterCommit: read.isAfter,
      isDeadByDatabase: read.isDead,
    };
    // Another read may have been answered in between that was executed after the commit.
    if (this.#state.wereReadAfterCommit === 1) gone.wereReadAfterCommit = 1;
    const name = 'W gets the nodes';
    if (read.counter === 0) return this.#step(name, { ...gone, seen: 0 });
    const now = 0;
    const before = this.#seen();
    const sentMs = (before?.firstSeenMs ?? now) + read.since * tickMs.writer;
    const seen = seePeer(before, read.counter, Math.min(sentMs, now), now);
    return this.#step(name, {
      ...gone,
      seen: seen.counter,
      seenAge: (now - seen.firstSeenMs) / tickMs.writer,
      silence: Math.max(0, (seen.readSentMs - seen.firstSeenMs) / tickMs.writer),
      ...(seen.firstSeenMs === now ? this.#sinceAnew(slot) : {}),
    });
  }

  /** Another counter is seen: a read that is on its way was sent before it was. */
  #sinceAnew(slot: Slot): Partial<State> {
    return slot === 'first' ? { secondSince: 0 } : { firstSince: 0 };
  }

  /** As of now, which is 0. */
  #seen(): PeerSeen | null {
    const { seen: counter, seenAge, silence } = this.#state;
    if (counter === 0) return null;
    const firstSeenMs = -seenAge * tickMs.writer;
    return { counter, firstSeenMs, readSentMs: firstSeenMs + silence * tickMs.writer };
  }

  /** Rows of nodes that have died go, if they are still as they were seen. */
  *#removeSilent(): Generator<Step<State>> {
    const { connection, counter } = this.#state;
    const seen = this.#seen();
    if (connection !== connections.up || seen === null || seen.counter !== counter) return;
    if (isSilent(seen, this.#leaseMs)) yield this.#step('W removes N, which is silent', { counter: 0 });
  }

  *#acknowledge(): Generator<Step<State>> {
    const { hasChange, wereReadAfterCommit, heldTicks, hasReport } = this.#state;
    if (hasChange === 0) return;
    const seen = this.#seen();
    const peers =
      seen === null || this.#isSkipped(seen) ? [] : [{ seen, applied: hasReport, leaseMs: this.#leaseMs }];
    const isAllowed = mayAcknowledge({
      position: 1,
      peers,
      wereReadAfterCommit: wereReadAfterCommit === 1,
      heldUntilMs: heldTicks * tickMs.writer,
      nowMs: 0,
    });
    if (isAllowed) yield this.#step('W acknowledges the change', { hasAcknowledged: 1 });
  }

  /** By what weaker rules allow. */
  #isSkipped(seen: PeerSeen): boolean {
    if (this.#is('a node is skipped without a fresh read')) {
      return isSilent({ ...seen, readSentMs: 0 }, this.#leaseMs);
    }
    return this.#isJudgedByDatabase && this.#state.isDeadByDatabase === 1;
  }
}

function runOf(startedAt: string) {
  return { startedAt, timeline: 1 };
}
