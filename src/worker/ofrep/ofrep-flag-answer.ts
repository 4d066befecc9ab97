import { ofrepFailure } from '../../contracts/ofrep/ofrep-answers.ts';
import type { HeaderBlock } from '../../http/header-block.ts';
import type { ReadyAnswer } from '../../http/ready-answer.ts';
import { detachedHeaders, ofrepHeaders, ofrepRetryHeaders } from '../../operations/answer-headers.ts';
import type { EvaluationMeter } from '../evaluation/evaluation-meter.ts';
import type { OfrepPlace } from './ofrep-address.ts';
import { readOfrepBody } from './ofrep-body.ts';
import type { OfrepFlagEvaluator } from './ofrep-flag.ts';
import { type OfrepRefusal, ofrepEvaluationFailed } from './ofrep-problems.ts';

/** A request for one flag. */
export interface AskedFlag {
  readonly place: OfrepPlace | null;
  readonly key: string;
  /** The values of `X-Forwarded-For`, joined by commas. */
  readonly forwardedFor: string;
}

interface FlagAnswerParts {
  readonly flag: OfrepFlagEvaluator;
  readonly meter: EvaluationMeter;
  /** Whether this node of a cluster can say what is current. A service alone always can. */
  isAttached(): boolean;
  onFault(fault: unknown, during: string): void;
}

/** Answers one request for a flag at a time. The answer stands in `status`, `headers` and `body` until the next call. */
export class OfrepFlagAnswer implements ReadyAnswer {
  status = 0;
  headers: HeaderBlock = ofrepHeaders;
  body = '';
  readonly #parts: FlagAnswerParts;

  constructor(parts: FlagAnswerParts) {
    this.#parts = parts;
  }

  get bodyBytes(): number {
    return Buffer.byteLength(this.body);
  }

  /** @param body valid during the call only */
  answer({ place, key }: AskedFlag, body: Uint8Array): this {
    // Looked at before the state is read: a lease that is valid afterwards says nothing of it.
    const isAttached = this.#parts.isAttached();
    const plain = this.#parts.flag.evaluatePlain(place, key, body);
    if (plain !== undefined) return this.#give(key, plain, isAttached);
    const read = readOfrepBody(body);
    if ('code' in read) return this.refuse(key, read).#tell(isAttached);
    return this.#give(key, this.#parts.flag.evaluate({ place, key, context: read.context }), isAttached);
  }

  #give(key: string, answer: string | OfrepRefusal, isAttached: boolean): this {
    if (typeof answer !== 'string') return this.refuse(key, answer).#tell(isAttached);
    this.status = 200;
    this.headers = ofrepHeaders;
    this.body = answer;
    return this.#tell(isAttached);
  }

  #tell(isAttached: boolean): this {
    if (!isAttached) this.headers = detachedHeaders(this.headers);
    return this;
  }

  /** The answer to a request whose evaluation threw. */
  fail({ key }: AskedFlag, fault: unknown): this {
    this.#parts.onFault(fault, 'ofrep-flag');
    return this.refuse(key, ofrepEvaluationFailed).#tell(this.#parts.isAttached());
  }

  refuse(key: string, refusal: OfrepRefusal): this {
    if (refusal.isOverload !== true) this.#parts.meter.countRefusal('flag', refusal.counted);
    this.status = refusal.status;
    this.headers = refusal.isOverload === true ? ofrepRetryHeaders : ofrepHeaders;
    this.body = ofrepFailure(key, refusal);
    return this;
  }
}
