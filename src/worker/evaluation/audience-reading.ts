import { type CompiledAudience, compileAudience } from '../../domain/evaluation/compiled-audience.ts';
import type { EvaluableFlag } from '../../domain/evaluation/evaluable-flag.ts';
import type { EvaluationQueries } from '../../storage/evaluation-reader.ts';

/** Reads each audience once, so that flags with the same audience share its compiled form. */
export class AudienceReading {
  readonly #queries: EvaluationQueries;
  readonly #known: ReadonlyMap<string, CompiledAudience>;
  readonly #read = new Map<string, CompiledAudience>();

  constructor(queries: EvaluationQueries, known: ReadonlyMap<string, CompiledAudience> = new Map()) {
    this.#queries = queries;
    this.#known = known;
  }

  /** @returns an audience that a flag of `readAllOf` applies */
  find(id: string): CompiledAudience | undefined {
    return this.#read.get(id);
  }

  readAllOf(flag: EvaluableFlag): void {
    for (const { audienceId } of flag.states.values()) {
      if (audienceId === null || this.#read.has(audienceId)) continue;
      const known = this.#known.get(audienceId);
      const found = known === undefined ? this.#queries.audience(audienceId) : undefined;
      const audience = known ?? (found === undefined ? undefined : compileAudience(found.read()));
      if (audience !== undefined) this.#read.set(audienceId, audience);
    }
  }
}
