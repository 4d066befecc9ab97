import { type CompiledAudience, compileAudience } from '../../domain/evaluation/compiled-audience.ts';
import type { EvaluableFlag } from '../../domain/evaluation/evaluable-flag.ts';
import { atOnceBytes, type EvaluationQueries } from '../../storage/evaluation-reader.ts';
import type { Steps } from '../../support/steps.ts';
import type { ReadingPlace } from './cold-flags.ts';

/** Reads each audience once, so that flags with the same audience share its compiled form. */
export class AudienceReading {
  readonly #queries: EvaluationQueries;
  readonly #known: ReadonlyMap<string, CompiledAudience>;
  readonly #place: ReadingPlace;
  readonly #read = new Map<string, CompiledAudience>();

  constructor(queries: EvaluationQueries, known: ReadonlyMap<string, CompiledAudience>, place: ReadingPlace) {
    this.#queries = queries;
    this.#known = known;
    this.#place = place;
  }

  /** @returns an audience that a flag of `readAllOf` applies. */
  find(id: string): CompiledAudience | undefined {
    return this.#read.get(id);
  }

  /**
   * Reads the audiences that the flag applies, in one step if they are short. @param bytes that the step has read
   * already
   */
  *readAllOf(flag: EvaluableFlag, bytes: number): Steps<void> {
    let stepBytes = bytes;
    for (const { audienceId } of flag.states.values()) {
      if (audienceId === null || this.#read.has(audienceId)) continue;
      const known = this.#known.get(audienceId);
      if (known !== undefined) {
        this.#read.set(audienceId, known);
        continue;
      }
      if (stepBytes > atOnceBytes) {
        yield;
        stepBytes = 0;
      }
      const found = this.#queries.audience(audienceId);
      stepBytes += found?.bytes ?? 0;
      const audience = found === undefined ? undefined : yield* found.readInSteps(this.#place.memory);
      if (audience !== undefined) this.#read.set(audienceId, compileAudience(audience, this.#place.queue));
    }
  }
}
