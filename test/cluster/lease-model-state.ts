/**
 * 0 or 1 where nothing else is said. Ages are ticks, and no more of them are told apart than a lease has.
 * N renews by steps: `idle`, `sent`, `committed`, `read` (the head).
 */
export type State = Record<keyof typeof fields, number>;

export const phases = { idle: 0, sent: 1, committed: 2, read: 3, headFirst: 4 } as const;
export const connections = { none: 0, up: 1, broken: 2 } as const;
export const runs = { unknown: 0, current: 1, former: 2 } as const;
export const readPhases = { none: 0, sent: 1, snapshot: 2, answered: 3 } as const;
/** So many ticks can be told apart, from 0 on, and so many counters. */
const ages = 7;
const counters = 5;

/** Every field with how many values it has. */
export const fields = {
  /* The database. */
  hasChange: 2,
  /** 0: it has no row of N. */
  counter: counters,
  crashes: 3,
  /** Of N's renewal, where the database itself judges. */
  renewedAge: ages,
  /* N. */
  phase: 5,
  sentAge: ages,
  /** Ticks that the lease is still valid. */
  validTicks: ages,
  headRead: 2,
  hasApplied: 2,
  /** Its lease is of the connection that it has. */
  isSameConnection: 2,
  /** What it sent was sent over a connection that has broken since. */
  isOverFormer: 2,
  /** A renewal that it has given up is still on its way. */
  isGhostOnItsWay: 2,
  /* W. */
  connection: 3,
  serverRun: 3,
  heldTicks: ages,
  /** 0: it knows nothing of N. */
  seen: counters,
  seenAge: ages,
  /** Of the newest read that shows the counter: how long after the counter was first seen it was sent. */
  silence: ages,
  wereReadAfterCommit: 2,
  isDeadByDatabase: 2,
  hasReport: 2,
  hasAcknowledged: 2,
  /* Reads of the nodes by W. */
  firstPhase: 4,
  /** How long after the counter was first seen it was sent. */
  firstSince: ages,
  firstIsAfter: 2,
  firstCounter: counters,
  firstAge: ages,
  firstIsDead: 2,
  secondPhase: 4,
  secondSince: ages,
  secondIsAfter: 2,
  secondCounter: counters,
  secondAge: ages,
  secondIsDead: 2,
  /* An evaluation on N that began after the acknowledgement: it has looked, or read the state of before. */
  isLookedValid: 2,
  hasReadOld: 2,
} as const;

export const start: State = {
  hasChange: 0,
  counter: 0,
  crashes: 0,
  renewedAge: 0,
  phase: 0,
  sentAge: 0,
  validTicks: 0,
  headRead: 0,
  hasApplied: 0,
  isSameConnection: 0,
  isOverFormer: 0,
  isGhostOnItsWay: 0,
  connection: 0,
  serverRun: 0,
  heldTicks: 0,
  seen: 0,
  seenAge: 0,
  silence: 0,
  wereReadAfterCommit: 0,
  isDeadByDatabase: 0,
  hasReport: 0,
  hasAcknowledged: 0,
  firstPhase: 0,
  firstSince: 0,
  firstIsAfter: 0,
  firstCounter: 0,
  firstAge: 0,
  firstIsDead: 0,
  secondPhase: 0,
  secondSince: 0,
  secondIsAfter: 0,
  secondCounter: 0,
  secondAge: 0,
  secondIsDead: 0,
  isLookedValid: 0,
  hasReadOld: 0,
};

/** The fields of one read of the nodes. */
export interface Read {
  readonly phase: number;
  readonly since: number;
  readonly isAfter: number;
  readonly counter: number;
  readonly age: number;
  readonly isDead: number;
}
export type Slot = 'first' | 'second';

export const noRead: Read = { phase: 0, since: 0, isAfter: 0, counter: 0, age: 0, isDead: 0 };

/** Equal to none. */
export const newCounter = counters;

export function readOf(state: State, slot: Slot): Read {
  return {
    phase: state[`${slot}Phase`],
    since: state[`${slot}Since`],
    isAfter: state[`${slot}IsAfter`],
    counter: state[`${slot}Counter`],
    age: state[`${slot}Age`],
    isDead: state[`${slot}IsDead`],
  };
}

export function slotOf(slot: Slot, { phase, since, isAfter, counter, age, isDead }: Read): Partial<State> {
  if (slot === 'first') {
    return {
      firstPhase: phase,
      firstSince: since,
      firstIsAfter: isAfter,
      firstCounter: counter,
      firstAge: age,
      firstIsDead: isDead,
    };
  }
  return {
    secondPhase: phase,
    secondSince: since,
    secondIsAfter: isAfter,
    secondCounter: counter,
    secondAge: age,
    secondIsDead: isDead,
  };
}

/** Once the change is acknowledged nothing depends on W any more. */
export function forgetWriter(state: State): State {
  return {
    ...start,
    hasChange: 1,
    hasAcknowledged: 1,
    counter: state.counter,
    crashes: state.crashes,
    phase: state.phase,
    sentAge: state.sentAge,
    validTicks: state.validTicks,
    headRead: state.headRead,
    hasApplied: state.hasApplied,
    isSameConnection: state.isSameConnection,
    isOverFormer: state.isOverFormer,
    isGhostOnItsWay: state.isGhostOnItsWay,
    isLookedValid: state.isLookedValid,
    hasReadOld: state.hasReadOld,
  };
}

const counterFields = ['counter', 'seen', 'firstCounter', 'secondCounter'] as const;

const names = new Uint8Array(newCounter + 1);

/** Only which counters are equal matters: they are numbered in the order of their fields. A new one is equal to none. */
export function renamed(state: State): State {
  names.fill(0);
  let count = 0;
  for (const field of counterFields) {
    const value = state[field];
    if (value === 0) continue;
    if (names[value] === 0) {
      count += 1;
      names[value] = count;
    }
    state[field] = names[value] as number;
  }
  return state;
}
