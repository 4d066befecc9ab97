/** What a look at a node has shown. */
export interface PositionLook {
  /** Of the process that answered. */
  readonly pid: number;
  /** The position that it has applied; 0 before it has opened its directory. */
  readonly position: number;
  /** How often this process has said that it begins to take over the whole state: until it had answered. */
  readonly newStarts: number;
  /** How many of these, the first ones, it had said to be over before it was asked: a later end may be newer than the position. */
  readonly endedStarts: number;
  /** On the clock of `performance.now()`. */
  readonly atMs: number;
}

/** What a process says arrives on another way than its position, and later where the machine is busy. */
export const declaredWithinMs = 5000;

/**
 * The positions of one directory in the order in which they were seen, over all processes that served it. None is lower
 * than one before but while the node starts anew, and says so: its rows of the log are gone then, or are of another history.
 */
export class PositionHistory {
  looks = 0;
  /** Steps back that were declared. */
  declared = 0;
  readonly #name: string;
  #last: PositionLook | null = null;
  #step: { readonly from: PositionLook; readonly to: PositionLook } | null = null;

  constructor(name: string) {
    this.#name = name;
  }

  /** @returns what is wrong; null for nothing */
  see(look: PositionLook): string | null {
    const from = this.#last;
    const isOpening = look.position === 0 && look.pid !== from?.pid;
    if (isOpening) return null;
    this.looks += 1;
    this.#last = look;
    if (from !== null && look.position < from.position) this.#step ??= { from, to: look };
    return this.#judgeStep(look);
  }

  /** Whether it has stepped back, and may still say why. */
  get isJudging(): boolean {
    return this.#step !== null;
  }

  /** Nothing more is seen. @returns what is wrong; null for nothing */
  end(): string | null {
    return this.#last === null ? null : this.#judgeStep({ ...this.#last, atMs: Number.POSITIVE_INFINITY });
  }

  #judgeStep(now: PositionLook): string | null {
    if (this.#step === null) return null;
    const { from, to } = this.#step;
    const endedBefore = from.pid === to.pid ? from.endedStarts : 0;
    const isDeclared = now.pid === to.pid && now.newStarts > endedBefore;
    const isOver = now.pid !== to.pid || now.atMs - to.atMs > declaredWithinMs;
    if (!isDeclared && !isOver) return null;
    this.#step = null;
    if (isDeclared) this.declared += 1;
    return isDeclared
      ? null
      : `${this.#name} went back from position ${from.position} to ${to.position} and did not say that it starts anew`;
  }
}
