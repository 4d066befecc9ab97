import { errorEnvelope } from '../../contracts/error-envelope.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import type { HttpRoute } from '../../http/worker-server.ts';
import { evaluationLimitedHeaders } from '../../operations/answer-headers.ts';
import type { RequestMeter } from '../request-meter.ts';
import type { ClientAddresses } from './address-finder.ts';
import type { AddressLimiter } from './address-limiter.ts';

export const tooManyEvaluations = 'Too many evaluations from this address. Wait a minute before you retry.';

type RefuseLimited = (exchange: Exchange, request: RequestView, retryAfterSeconds: number) => void;

/** The optional limit of the Evaluation API for each address. It is off by default, and then costs nothing. */
export class EvaluationLimit {
  readonly #limiter: AddressLimiter | null;
  readonly #addresses: ClientAddresses;
  readonly #docsUrl: string;
  readonly #meter: RequestMeter;

  /** @param limiter null when the limit is off */
  constructor(
    limiter: AddressLimiter | null,
    addresses: ClientAddresses,
    docsUrl: string,
    meter: RequestMeter,
  ) {
    this.#limiter = limiter;
    this.#addresses = addresses;
    this.#docsUrl = docsUrl;
    this.#meter = meter;
  }

  get isLimited(): boolean {
    return this.#limiter !== null;
  }

  /** @param refuse answers a request that is above the limit; by default as the Evaluation API does */
  limit(
    handle: HttpRoute['handle'],
    refuse: RefuseLimited = (exchange, _request, seconds) => this.#refuse(exchange, seconds),
  ): HttpRoute['handle'] {
    const limiter = this.#limiter;
    if (limiter === null) return handle;
    return (exchange, request) => {
      const { limitKey } = this.#addresses.findOf(exchange, request).address;
      if (limiter.take(limitKey)) {
        handle(exchange, request);
        return;
      }
      this.#meter.countLimited('evaluation-requests');
      refuse(exchange, request, limiter.retryAfterSeconds(limitKey));
    };
  }

  #refuse(exchange: Exchange, retryAfterSeconds: number): void {
    const body = errorEnvelope({ code: 'too-many-requests', detail: tooManyEvaluations }, this.#docsUrl);
    exchange.answer(429, evaluationLimitedHeaders(retryAfterSeconds), body);
  }
}
