import { type ChangeableFlag, ChangingFlag } from './changing-flag.ts';
import { KeptConnection } from './kept-connection.ts';
import { makeChange } from './make-change.ts';

export interface ChangesMade {
  /** Changes that were begun in time and acknowledged. */
  readonly changes: number;
  /** Changes that the rate required in the time that passed. */
  readonly due: number;
}

/** Most changes that wait for their commit at once: twice as many as arrive during a commit at 1,000 a second. */
const connectionsMax = 64;

/** A connection, and the flags that only it changes, round robin. */
interface Lane {
  readonly connection: KeptConnection;
  readonly flags: readonly ChangingFlag[];
  made: number;
}

/**
 * Makes changes at a fixed rate. Between two changes it sleeps in a timer; without an order it does nothing. A change
 * that falls due while all connections wait is made as soon as one is free.
 */
export class ChangeMaker {
  readonly #lanes: readonly Lane[];
  #idle: Lane[];
  #perSecond = 0;
  #startedAtMs = 0;
  #sent = 0;
  #timer: NodeJS.Timeout | undefined;
  #fault: Error | null = null;
  #onSettled: (() => void) | null = null;

  private constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
    this.#idle = [...lanes];
  }

  static async open(origin: string, flags: readonly ChangeableFlag[]): Promise<ChangeMaker> {
    const count = Math.min(connectionsMax, flags.length);
    const lanes = Array.from({ length: count }, async (_unused, lane): Promise<Lane> => {
      const own = flags.filter((_flag, index) => index % count === lane);
      const connection = await KeptConnection.open(origin);
      return { connection, flags: own.map((flag) => new ChangingFlag(origin, flag)), made: 0 };
    });
    return new ChangeMaker(await Promise.all(lanes));
  }

  begin(perSecond: number): void {
    if (this.#perSecond !== 0) throw new Error('changes are being made already');
    this.#perSecond = perSecond;
    this.#startedAtMs = performance.now();
    this.#sent = 0;
    this.#wake();
  }

  /** Begins no more changes, and waits for those under way. @throws when a change failed */
  async end(): Promise<ChangesMade> {
    const made = { changes: this.#sent, due: this.#due() };
    clearTimeout(this.#timer);
    this.#perSecond = 0;
    if (this.#idle.length < this.#lanes.length && this.#fault === null) {
      await new Promise<void>((resolve) => {
        this.#onSettled = resolve;
      });
    }
    if (this.#fault !== null) throw this.#fault;
    return made;
  }

  close(): void {
    for (const { connection } of this.#lanes) connection.close();
  }

  #due(): number {
    return Math.floor(((performance.now() - this.#startedAtMs) / 1000) * this.#perSecond);
  }

  #wake(): void {
    this.#sendDue();
    if (this.#perSecond === 0) return;
    const nextAtMs = this.#startedAtMs + ((this.#due() + 1) * 1000) / this.#perSecond;
    this.#timer = setTimeout(() => this.#wake(), nextAtMs - performance.now());
  }

  #sendDue(): void {
    const due = this.#due();
    while (this.#sent < due) {
      const lane = this.#idle.pop();
      if (lane === undefined) return;
      this.#sent += 1;
      this.#send(lane).catch((fault: unknown) => this.#fail(fault));
    }
  }

  async #send(lane: Lane): Promise<void> {
    const flag = lane.flags[lane.made % lane.flags.length] as ChangingFlag;
    lane.made += 1;
    await makeChange(lane.connection, flag.next());
    this.#idle.push(lane);
    if (this.#perSecond > 0) this.#sendDue();
    else if (this.#idle.length === this.#lanes.length) this.#onSettled?.();
  }

  #fail(fault: unknown): void {
    this.#fault ??= fault instanceof Error ? fault : new Error(String(fault));
    this.#onSettled?.();
  }
}
