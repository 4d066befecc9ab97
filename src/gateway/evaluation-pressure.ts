import { performance } from 'node:perf_hooks';

/** Above this share of its time the gateway counts as busy. */
const busyUtilisation = 0.5;
/** Fewer evaluations than this for each change, and it is the changes that keep it busy. */
const evaluationsPerChange = 10;

/** What was counted since the start. */
export interface GatewayWork {
  readonly evaluations: number;
  readonly changes: number;
}

/** Tells whether evaluations need the processor: changes then share it sparingly (`HeldCommands`). */
export class EvaluationPressure {
  #utilisationSeen = performance.eventLoopUtilization();
  #seen: GatewayWork = { evaluations: 0, changes: 0 };

  /** Looks at what was done since the last look. */
  look(work: GatewayWork): boolean {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#utilisationSeen);
    const evaluations = work.evaluations - this.#seen.evaluations;
    const changes = work.changes - this.#seen.changes;
    this.#utilisationSeen = now;
    this.#seen = work;
    return utilization > busyUtilisation && evaluations > changes * evaluationsPerChange;
  }
}
