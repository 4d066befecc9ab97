import { evaluationLimitedHeaders } from '../api/answer-headers.ts';
import { errorEnvelope } from '../contracts/error-envelope.ts';
import type { HttpRoute } from '../http/http-server.ts';
import type { ClientAddresses } from './client-address.ts';
import type { WindowLimiter } from './window-limiter.ts';

const tooMany = 'Too many evaluations from this address. Wait a minute before you retry.';

/** The optional per-address limit of the Evaluation API. Switched off, as it is by default, it costs nothing. */
export class EvaluationGate {
  readonly #limiter: WindowLimiter;
  readonly #addresses: ClientAddresses;
  readonly #isOn: boolean;
  readonly #docsUrl: string;

  constructor(limiter: WindowLimiter, addresses: ClientAddresses, isOn: boolean, docsUrl: string) {
    this.#limiter = limiter;
    this.#addresses = addresses;
    this.#isOn = isOn;
    this.#docsUrl = docsUrl;
  }

  limit(handle: HttpRoute['handle']): HttpRoute['handle'] {
    if (!this.#isOn) return handle;
    return (exchange, request) => {
      const forwardedFor = request.headerValues('x-forwarded-for').join(',');
      const { limitKey } = this.#addresses.find(exchange.remoteAddress(), forwardedFor).address;
      if (this.#limiter.take(limitKey)) {
        handle(exchange, request);
        return;
      }
      const headers = evaluationLimitedHeaders(this.#limiter.retryAfterSeconds(limitKey));
      exchange.answer(
        429,
        headers,
        errorEnvelope({ code: 'too-many-requests', detail: tooMany }, this.#docsUrl),
      );
    };
  }
}
