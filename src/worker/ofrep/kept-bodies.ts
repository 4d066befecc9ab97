import type { CompiledState } from '../../domain/evaluation/compiled-flag.ts';
import type { EvaluationReason } from '../../domain/evaluation/evaluation-reason.ts';
import type { EvaluationTally } from '../../domain/usage/evaluation-count.ts';

/** The most bodies that are kept: some megabytes. */
const bodiesMax = 8192;

/**
 * Bodies of answers by state and reason, made once: joining the parts of a text and writing them costs more than the
 * evaluation. A flag or project that changed is compiled again into new states, so its old bodies are not found any
 * more. The key is the state's tally, so that no list of cohorts stays in memory here.
 */
export class KeptBodies {
  readonly #bodies = new Map<EvaluationTally, (string | undefined)[]>();
  #count = 0;

  find({ tally }: CompiledState, reason: EvaluationReason): string | undefined {
    return this.#bodies.get(tally)?.[reason];
  }

  keep({ tally }: CompiledState, reason: EvaluationReason, body: string): void {
    if (this.#count >= bodiesMax) {
      this.#bodies.clear();
      this.#count = 0;
    }
    const bodies = this.#bodies.get(tally) ?? [];
    bodies[reason] = body;
    this.#bodies.set(tally, bodies);
    this.#count += 1;
  }
}
