import { evaluateFlag, selectState } from '../../domain/evaluation/evaluate-flag.ts';
import { EvaluationContext } from '../../domain/evaluation/evaluation-context.ts';
import { isOn } from '../../domain/evaluation/evaluation-reason.ts';
import { randomRoll } from '../../support/random-roll.ts';
import { type EvaluationRefusal, EvaluationRefusals } from './evaluation-answer.ts';
import type { EvaluationMeter } from './evaluation-meter.ts';
import type { EvaluationTallies } from './evaluation-tallies.ts';
import type { FlagSource } from './flag-source.ts';

/**
 * Answers `GET /v1/flags/{flag_id}`: decoding 400, unknown flag 404, access off 403, environment 404, then the rules.
 * The last answer is in `status`, `body` and `reason` of this one object: nothing is allocated per request.
 */
export class FlagEvaluator {
  status = 0;
  body: string = '';
  /** Of the body in UTF-8. */
  bodyBytes = 0;
  /** Index in `evaluationReasons`; meaningful when `status` is 200. */
  reason = 0;
  readonly #source: FlagSource;
  readonly #refusals: EvaluationRefusals;
  readonly #meter: EvaluationMeter;
  readonly #tallies: EvaluationTallies;
  readonly #context = new EvaluationContext();

  constructor(source: FlagSource, docsUrl: string, meter: EvaluationMeter, tallies: EvaluationTallies) {
    this.#source = source;
    this.#refusals = new EvaluationRefusals(docsUrl);
    this.#meter = meter;
    this.#tallies = tallies;
  }

  evaluate(flagId: string, query: string): void {
    const context = this.#context;
    const fault = context.decode(query);
    const refusal =
      fault === null
        ? this.#evaluateDecoded(flagId, context)
        : this.#refusals.queryFault(fault, query, context);
    if (refusal !== null) this.#refuse(refusal);
  }

  /** @returns null when there is an answer */
  #evaluateDecoded(flagId: string, context: EvaluationContext): EvaluationRefusal | null {
    const entry = this.#source.find(flagId);
    if (entry === undefined) return this.#refusals.fixed('no-flag');
    if (!entry.cachedProject.project.evaluationAccess) return this.#refusals.fixed('access-off');
    const flag = entry.compiled;
    const state = selectState(flag, context);
    if (state === null) return this.#refusals.fixed('no-environment');
    this.reason = evaluateFlag(flag, state, context, randomRoll);
    this.#meter.countFlag(this.reason);
    this.status = 200;
    const isFlagOn = isOn(this.reason);
    this.#tallies.count(state.tally, isFlagOn);
    this.body = isFlagOn ? flag.onBody : flag.offBody;
    this.bodyBytes = isFlagOn ? flag.onBytes : flag.offBytes;
    return null;
  }

  /** Sets the answer of an evaluation that threw. */
  fail(): void {
    this.#refuse(this.#refusals.internalError());
  }

  #refuse(refusal: EvaluationRefusal): void {
    this.#meter.countRefusal('flag', refusal.reason);
    this.status = refusal.status;
    this.body = refusal.body;
    this.bodyBytes = Buffer.byteLength(refusal.body);
    this.reason = 0;
  }
}
