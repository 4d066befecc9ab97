import { evaluationHeaders, plainJsonHeaders } from '../api/answer-headers.ts';
import type { DocsPages } from '../api/docs/docs-pages.ts';
import type { Health } from '../api/evaluation/read-health.ts';
import type { Config } from '../config/config.ts';
import { errorEnvelope } from '../contracts/error-envelope.ts';
import type { EvaluatorClient } from '../evaluator/evaluator-client.ts';
import { BodyBudget } from '../http/body-reader.ts';
import { draining, unflushedAnswers } from '../http/exchange.ts';
import { createHttpServer, type HttpServer } from '../http/http-server.ts';
import type { Logger } from '../observability/logger.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { WriterClient } from '../writer/writer-client.ts';
import { ClientAddresses } from './client-address.ts';
import { EvaluationGate } from './evaluation-gate.ts';
import { ambiguousLength, ManagementGate } from './management-gate.ts';
import { createRoutes } from './routes.ts';
import { WindowLimiter } from './window-limiter.ts';

export interface GatewayParts {
  readonly config: Config;
  /** As it is told to clients: the configured one, or the address that was listened on. */
  readonly docsUrl: string;
  readonly evaluators: EvaluatorClient;
  readonly writer: WriterClient;
  readonly health: Health;
  readonly docs: DocsPages;
  readonly log: Logger;
}

/** How often deadlines are looked at: the most by which an answer at its deadline is late. */
const expiryIntervalMs = 50;
const failureDetail = 'Something went wrong in the service. Retry; if it persists, look at its log.';

/** The front end: reads requests, applies the per-address limits, batches, and writes answers. It runs no rule. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #server: HttpServer;
  readonly #management: ManagementGate;
  readonly #expiry: NodeJS.Timeout;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    const { config, docsUrl, evaluators, log } = parts;
    const addresses = new ClientAddresses(config.trustedProxies);
    this.#management = createManagementGate(parts, addresses);
    const limiter = new WindowLimiter(config.evaluationRateLimit);
    const evaluation = new EvaluationGate(limiter, addresses, config.evaluationRateLimit > 0, docsUrl);
    this.#server = createHttpServer({
      routes: createRoutes({ ...parts, management: this.#management, evaluation }),
      failure: {
        headers: plainJsonHeaders,
        body: errorEnvelope({ code: 'internal-error', detail: failureDetail }, docsUrl),
      },
      onFault: (fault) => log.error({ err: fault }, 'handler failed'),
      refuseAmbiguous: (exchange, request) => {
        if (isManagementPath(request.path())) this.#management.refuseAmbiguous(exchange, request);
        else {
          const problem = { code: 'invalid-request', detail: ambiguousLength } as const;
          exchange.answerAndClose(400, evaluationHeaders, errorEnvelope(problem, docsUrl));
        }
      },
    });
    this.#expiry = setInterval(() => this.#expire(evaluators), expiryIntervalMs);
  }

  #expire(evaluators: EvaluatorClient): void {
    const now = monotonicMs();
    evaluators.expire(now);
    this.#parts.writer.expire(now);
  }

  /** @returns the port. @throws ListenError */
  listen(): Promise<number> {
    return this.#server.listen(this.#parts.config.host, this.#parts.config.port);
  }

  /** Takes no new connections, answers what is in flight, and closes each connection with its answer. */
  async drain(timeoutMs: number): Promise<void> {
    draining.isOn = true;
    this.#server.stopListening();
    const deadline = monotonicMs() + timeoutMs;
    while (this.#inFlight > 0 && monotonicMs() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  get #inFlight(): number {
    const { evaluators, writer } = this.#parts;
    return this.#management.inFlight + evaluators.inFlight + writer.inFlight + unflushedAnswers.count;
  }

  close(): void {
    clearInterval(this.#expiry);
    this.#server.close();
  }
}

function isManagementPath(path: string): boolean {
  return path === '/api/v1' || path.startsWith('/api/v1/');
}

function createManagementGate(parts: GatewayParts, addresses: ClientAddresses): ManagementGate {
  const { config, docsUrl, evaluators, writer, log } = parts;
  return new ManagementGate({
    docsUrl,
    evaluators,
    writer,
    addresses,
    log,
    requestRate: new WindowLimiter(config.managementRateLimit),
    failedAuthentications: new WindowLimiter(config.failedAuthenticationLimit),
    bodyBudget: new BodyBudget(config.bufferedBodyBytesMax),
    inFlightMax: config.inFlightMax,
    requestDeadlineMs: config.requestDeadlineMs,
  });
}
