/**
 * One client's operation on one register. Given the state that it meets, `apply` returns the state that it leaves, or
 * null if its answer was impossible there.
 */
export interface Operation {
  readonly name: string;
  readonly apply: (state: string) => string | null;
  readonly calledAt: number;
  /** When the answer came. For a write without an answer: from when on it certainly could not happen any more. */
  readonly returnedAt: number;
  /** A write without an answer: it may or may not have happened. */
  readonly isOptional: boolean;
}

/** A possible state of the register, and which operations under way have happened. */
interface Configuration {
  readonly state: string;
  /** One bit for each slot: an operation under way has a slot of its own until it returns. */
  readonly happened: number;
}

/** How many operations under way at once the bits can distinguish. */
const slotsMax = 30;
/** A history that needs more states is undecided, which is an error and never a pass. */
const configurationsMax = 200_000;

/** Thrown for a history that is not linearizable. */
export class NotLinearizable extends Error {
  override readonly name = 'NotLinearizable';
}

/**
 * Checks that a history is linearizable: there is an order of the operations, each at a moment between its call and its
 * return, that explains every answer. It walks through calls and returns in time order and keeps every possible state of
 * the register; an operation must have happened by its return.
 * @throws NotLinearizable with the first operation that no order explains
 * @throws RangeError when the history is too concurrent to decide
 */
export function checkRegister(operations: readonly Operation[], initial: string): void {
  const walk = new RegisterWalk(initial);
  for (const { operation, isCall } of eventsOf(operations)) {
    if (isCall) walk.call(operation);
    else walk.return(operation);
  }
}

interface RegisterEvent {
  readonly operation: Operation;
  readonly isCall: boolean;
  readonly at: number;
}

/** At the same time calls come before returns: operations that touch may have overlapped. */
function eventsOf(operations: readonly Operation[]): readonly RegisterEvent[] {
  const events = operations.flatMap((operation) => [
    { operation, isCall: true, at: operation.calledAt },
    { operation, isCall: false, at: operation.returnedAt },
  ]);
  return events.sort((left, right) => left.at - right.at || Number(right.isCall) - Number(left.isCall));
}

/**
 * Configurations, without those that explain no more than another one: a write without an answer that has not happened
 * yet may still never happen.
 */
class Configurations {
  /** By state, and by which answered operations have happened: which writes without an answer have. */
  readonly #kept = new Map<string, Configuration[]>();
  readonly #optionalBits: number;
  #size = 0;

  constructor(optionalBits: number) {
    this.#optionalBits = optionalBits;
  }

  get size(): number {
    return this.#size;
  }

  *[Symbol.iterator](): Generator<Configuration> {
    for (const list of this.#kept.values()) yield* list;
  }

  /** @returns whether it explains more than those that are here */
  add(configuration: Configuration): boolean {
    const { state, happened } = configuration;
    const key = `${happened & ~this.#optionalBits} ${state}`;
    const list = this.#kept.get(key) ?? [];
    if (list.some((other) => (other.happened & ~happened) === 0)) return false;
    const kept = list.filter((other) => (happened & ~other.happened) !== 0);
    this.#size += 1 + kept.length - list.length;
    if (this.#size > configurationsMax)
      throw new RangeError('the history has too many explanations to follow');
    this.#kept.set(key, [...kept, configuration]);
    return true;
  }
}

class RegisterWalk {
  readonly #underWay = new Map<Operation, number>();
  #configurations = new Configurations(0);

  constructor(initial: string) {
    this.#configurations.add({ state: initial, happened: 0 });
  }

  call(operation: Operation): void {
    const taken = new Set(this.#underWay.values());
    let slot = 0;
    while (taken.has(slot)) slot += 1;
    if (slot >= slotsMax) throw new RangeError(`more than ${slotsMax} operations were under way at once`);
    this.#underWay.set(operation, slot);
  }

  return(operation: Operation): void {
    const bit = 1 << (this.#underWay.get(operation) ?? 0);
    const optionalBits = [...this.#underWay].reduce(
      (bits, [{ isOptional }, slot]) => (isOptional ? bits | (1 << slot) : bits),
      0,
    );
    const [next, seen] = [new Configurations(optionalBits), new Configurations(optionalBits)];
    const open = [...this.#configurations];
    for (const configuration of open) seen.add(configuration);
    // Fewer operations first: the others often explain no more.
    for (const { state, happened } of open) {
      if ((happened & bit) !== 0) {
        next.add({ state, happened: happened & ~bit });
        continue;
      }
      if (operation.isOptional) next.add({ state, happened });
      for (const successor of this.#successors({ state, happened }))
        if (seen.add(successor)) open.push(successor);
    }
    this.#underWay.delete(operation);
    if (next.size === 0) throw new NotLinearizable(this.#describe(operation));
    this.#configurations = next;
  }

  *#successors({ state, happened }: Configuration): Generator<Configuration> {
    for (const [{ apply }, slot] of this.#underWay) {
      const bit = 1 << slot;
      const left = (happened & bit) === 0 ? apply(state) : null;
      if (left !== null) yield { state: left, happened: happened | bit };
    }
  }

  #describe({ name, calledAt, returnedAt }: Operation): string {
    const states = [...new Set([...this.#configurations].map(({ state }) => state))];
    const when = `${calledAt.toFixed(3)} to ${returnedAt.toFixed(3)} ms`;
    return `nothing explains ${name}, ${when}; before it the register held one of ${states.slice(0, 10).join(' | ')}`;
  }
}

/** An operation before it is known until when a write without an answer may still happen. */
export type Noted = Omit<Operation, 'returnedAt' | 'isOptional'> & { readonly returnedAt: number | null };

/** The operations of all clients, by register. */
export class History {
  readonly #operations = new Map<string, Operation[]>();
  #unanswered: { readonly register: string; readonly noted: Noted }[] = [];

  /** @param noted with null as `returnedAt` if it had no answer */
  note(register: string, noted: Noted): void {
    const { returnedAt } = noted;
    if (returnedAt === null) this.#unanswered.push({ register, noted });
    else this.#push(register, { ...noted, returnedAt, isOptional: false });
  }

  /** Writes without an answer cannot happen any more: their server has ended. @returns how many there are */
  settle(): number {
    const returnedAt = performance.now();
    const settled = this.#unanswered;
    this.#unanswered = [];
    for (const { register, noted } of settled)
      this.#push(register, { ...noted, returnedAt, isOptional: true });
    return settled.length;
  }

  /** @throws NotLinearizable for the first register whose history no order explains */
  check(initialOf: (register: string) => string): void {
    for (const [register, operations] of this.#operations) {
      try {
        checkRegister(operations, initialOf(register));
      } catch (fault) {
        throw new (fault as Error & { constructor: new (text: string) => Error }).constructor(
          `${register}: ${(fault as Error).message}`,
        );
      }
    }
  }

  #push(register: string, operation: Operation): void {
    const operations = this.#operations.get(register) ?? [];
    this.#operations.set(register, operations);
    operations.push(operation);
  }
}
