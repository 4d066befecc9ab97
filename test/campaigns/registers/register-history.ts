/**
 * One client's operation on one register. Every write has a unique value. A `test` asks whether the register holds a
 * value.
 *
 * `after` of a write, where it is known, is the value that it replaced: without it many writes that nobody waits for have
 * too many possible orders.
 */
export type RegisterAction =
  | { readonly kind: 'write'; readonly value: string; readonly after?: string }
  | { readonly kind: 'read'; readonly value: string }
  | { readonly kind: 'test'; readonly value: string; readonly holds: boolean };

export interface RegisterOperation {
  readonly action: RegisterAction;
  readonly calledAt: number;
  /** When the answer came. For a write without an answer: from when on it certainly could not happen any more. */
  readonly returnedAt: number;
  /** A write without an answer: it may or may not have happened. */
  readonly isOptional: boolean;
}

/** A possible state of the register: its value, and which operations under way have happened. */
interface Configuration {
  readonly value: string;
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
 * return, in which every read saw the last write before it. It walks through calls and returns in time order and keeps
 * every possible state of the register; an operation must have happened by its return.
 * @throws NotLinearizable with the first operation that no order explains
 * @throws RangeError when the history is too concurrent to decide
 */
export function checkRegister(operations: readonly RegisterOperation[], initial: string): void {
  const walk = new RegisterWalk(initial);
  for (const { operation, isCall } of eventsOf(operations)) {
    if (isCall) walk.call(operation);
    else walk.return(operation);
  }
}

interface RegisterEvent {
  readonly operation: RegisterOperation;
  readonly isCall: boolean;
  readonly at: number;
}

/** At the same time calls come before returns: operations that touch may have overlapped. */
function eventsOf(operations: readonly RegisterOperation[]): readonly RegisterEvent[] {
  const events = operations.flatMap((operation) => [
    { operation, isCall: true, at: operation.calledAt },
    { operation, isCall: false, at: operation.returnedAt },
  ]);
  return events.sort((left, right) => left.at - right.at || Number(right.isCall) - Number(left.isCall));
}

class RegisterWalk {
  readonly #underWay = new Map<RegisterOperation, number>();
  #configurations = new Map<string, Configuration>();

  constructor(initial: string) {
    this.#keep(this.#configurations, { value: initial, happened: 0 });
  }

  call(operation: RegisterOperation): void {
    const taken = new Set(this.#underWay.values());
    let slot = 0;
    while (taken.has(slot)) slot += 1;
    if (slot >= slotsMax) throw new RangeError(`more than ${slotsMax} operations were under way at once`);
    this.#underWay.set(operation, slot);
  }

  return(operation: RegisterOperation): void {
    const bit = 1 << (this.#underWay.get(operation) ?? 0);
    const next = new Map<string, Configuration>();
    const seen = new Map<string, Configuration>();
    const open = [...this.#configurations.values()];
    for (const configuration of open) this.#keep(seen, configuration);
    for (let current = open.pop(); current !== undefined; current = open.pop()) {
      const { value, happened } = current;
      if ((happened & bit) !== 0) {
        this.#keep(next, { value, happened: happened & ~bit });
        continue;
      }
      if (operation.isOptional) this.#keep(next, current);
      for (const successor of this.#successors(current))
        if (this.#keep(seen, successor)) open.push(successor);
    }
    this.#underWay.delete(operation);
    if (next.size === 0) throw new NotLinearizable(this.#describe(operation));
    this.#configurations = next;
  }

  /** @returns whether the state is new */
  #keep(kept: Map<string, Configuration>, configuration: Configuration): boolean {
    const key = `${configuration.happened} ${configuration.value}`;
    if (kept.has(key)) return false;
    if (kept.size >= configurationsMax)
      throw new RangeError('the history has too many explanations to follow');
    kept.set(key, configuration);
    return true;
  }

  *#successors({ value, happened }: Configuration): Generator<Configuration> {
    for (const [{ action }, slot] of this.#underWay) {
      const bit = 1 << slot;
      if ((happened & bit) !== 0 || !isPossible(action, value)) continue;
      yield { value: action.kind === 'write' ? action.value : value, happened: happened | bit };
    }
  }

  #describe({ action, calledAt, returnedAt }: RegisterOperation): string {
    const values = [...new Set([...this.#configurations.values()].map(({ value }) => value))];
    const shown = JSON.stringify(action);
    const when = `${calledAt.toFixed(3)} to ${returnedAt.toFixed(3)} ms`;
    return `nothing explains ${shown}, ${when}; before it the register held one of ${values.slice(0, 10).join(' | ')}`;
  }
}

function isPossible(action: RegisterAction, value: string): boolean {
  if (action.kind === 'write') return action.after === undefined || action.after === value;
  return action.kind === 'read' ? action.value === value : action.holds === (action.value === value);
}
