import { setTimeout } from 'node:timers/promises';
import { evaluationHeaders, plainJsonHeaders } from '../api/answer-headers.ts';
import { isConsoleApiPath } from '../api/console/match-console-operation.ts';
import type { OpenIdProvider } from '../api/console/open-id/open-id-provider.ts';
import type { WebApp } from '../api/console/web-app.ts';
import type { DocsPages } from '../api/docs/docs-pages.ts';
import type { Health } from '../api/evaluation/read-health.ts';
import type { Config } from '../config/config.ts';
import type { ConsoleSettings } from '../contracts/console/public-handler.ts';
import { errorEnvelope } from '../contracts/error-envelope.ts';
import type { EvaluatorClient } from '../evaluator/evaluator-client.ts';
import { BodyBudget } from '../http/body-reader.ts';
import { draining, unflushedAnswers } from '../http/exchange.ts';
import { createHttpServer, type HttpServer } from '../http/http-server.ts';
import { watchEventLoop } from '../observability/event-loop-delay.ts';
import type { Logger, LogRequest } from '../observability/logger.ts';
import { countEvents, type MetricCells, put } from '../observability/metric-cells.ts';
import { monotonicMs } from '../support/monotonic-clock.ts';
import type { WriterClient } from '../writer/writer-client.ts';
import { AddressFinder } from './address-finder.ts';
import { ClientAddresses } from './client-address.ts';
import { ConsoleGate } from './console-gate.ts';
import { EvaluationGate } from './evaluation-gate.ts';
import { EvaluationPressure } from './evaluation-pressure.ts';
import type { GatewayMeter } from './gateway-meter.ts';
import { gatewayMetrics } from './gateway-metrics.ts';
import { ambiguousLength, ManagementGate } from './management-gate.ts';
import { createRoutes } from './routes.ts';
import type { TokenUses } from './token-uses.ts';
import { WindowLimiter } from './window-limiter.ts';

export interface GatewayParts {
  readonly config: Config;
  /** As it is told to clients: the configured one, or the address that was listened on. */
  readonly docsUrl: string;
  readonly consoleSettings: ConsoleSettings;
  readonly evaluators: EvaluatorClient;
  readonly writer: WriterClient;
  /** The memory of a `StoreVersion`. */
  readonly storeVersion: SharedArrayBuffer;
  readonly health: Health;
  readonly docs: DocsPages;
  /** Null when it was not built. */
  readonly webApp: WebApp | null;
  /** Null: no provider is configured. */
  readonly openId: OpenIdProvider | null;
  readonly meter: GatewayMeter;
  /** Where the uses of tokens are counted. */
  readonly tokenUses: TokenUses;
  readonly log: Logger;
  /** For the line of each Management API request. */
  readonly logRequest: LogRequest;
}

/** How often deadlines and load are looked at: the most by which an answer at its deadline is late. */
const lookIntervalMs = 50;
/** How long new connections are still taken by a service that drains, at most: see `drain`. */
const closingMs = 250;
/** A service that drains takes them no longer once it was asked nothing in so many looks, of which each waits this long. */
const quietLooks = 4;
const quietLookMs = 10;
/** How long a connection that was just taken has until its request must be here. */
const arrivalMs = 30;
const failureDetail = 'Something went wrong in the service. Retry; if it persists, look at its log.';

/** The front end: reads requests, applies the per-address limits, batches, and writes answers. It runs no rule. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #server: HttpServer;
  readonly #management: ManagementGate;
  readonly #console: ConsoleGate;
  readonly #expiry: NodeJS.Timeout;
  readonly #pressure = new EvaluationPressure();
  readonly #meter: GatewayMeter;
  readonly #loopWatch: NodeJS.Timeout;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
    this.#meter = parts.meter;
    const { config, docsUrl, evaluators, log } = parts;
    const addresses = new ClientAddresses(config.trustedProxies);
    const bodyBudget = new BodyBudget(config.bufferedBodyBytesMax);
    const finder = new AddressFinder(addresses, log);
    this.#management = createManagementGate(parts, finder, bodyBudget);
    this.#console = createConsoleGate(parts, finder, bodyBudget);
    const { evaluationRateLimit } = config;
    const limiter = evaluationRateLimit > 0 ? new WindowLimiter(evaluationRateLimit) : null;
    const evaluation = new EvaluationGate(limiter, addresses, docsUrl, this.#meter);
    this.#server = createHttpServer({
      routes: createRoutes({ ...parts, management: this.#management, console: this.#console, evaluation }),
      meter: this.#meter.answers,
      failure: {
        headers: plainJsonHeaders,
        body: errorEnvelope({ code: 'internal-error', detail: failureDetail }, docsUrl),
      },
      onFault: (fault) => log.error({ err: fault }, 'handler failed'),
      refuseAmbiguous: (exchange, request) => {
        if (isManagementPath(request.path())) this.#management.refuseAmbiguous(exchange, request);
        else if (isConsoleApiPath(request.path())) this.#console.refuseAmbiguous(exchange, request);
        else {
          const problem = { code: 'invalid-request', detail: ambiguousLength } as const;
          exchange.answerAndClose(400, evaluationHeaders, errorEnvelope(problem, docsUrl));
        }
      },
    });
    this.#loopWatch = watchEventLoop(this.#meter.cells, gatewayMetrics.metrics.loopDelay);
    this.#expiry = setInterval(() => this.#look(evaluators, parts.writer), lookIntervalMs);
  }

  #look(evaluators: EvaluatorClient, writer: WriterClient): void {
    const now = monotonicMs();
    evaluators.expire(now);
    writer.expire(now);
    const { evaluations } = evaluators;
    writer.isPaced = this.#pressure.look({ evaluations, changes: writer.commandsSent });
  }

  /** @returns the port. @throws ListenError */
  listen(): Promise<number> {
    return this.#server.listen(this.#parts.config.host, this.#parts.config.port);
  }

  /**
   * Closes each connection with its answer, takes no new ones after a while, and answers what is in flight. Until then
   * those that a proxy keeps are used up by its next requests. A request that meets a closed one instead is tried again by
   * it, and HAProxy does not wait between those tries: all of them would be refused within a few milliseconds.
   */
  async drain(timeoutMs: number): Promise<void> {
    const deadline = monotonicMs() + timeoutMs;
    draining.isOn = true;
    this.#console.endWatches();
    await this.#quiet(Math.min(closingMs, timeoutMs / 4));
    this.#server.stopListening();
    await setTimeout(Math.min(arrivalMs, timeoutMs / 4));
    while (this.#inFlight > 0 && monotonicMs() < deadline) {
      await setTimeout(5);
    }
  }

  /** Resolves when no request has come for a moment: there is nobody then whose connections need closing. */
  async #quiet(timeoutMs: number): Promise<void> {
    const deadline = monotonicMs() + timeoutMs;
    let seen = this.#come;
    for (let looks = 0; looks < quietLooks && monotonicMs() < deadline; looks += 1) {
      await setTimeout(quietLookMs);
      if (this.#come === seen) continue;
      seen = this.#come;
      looks = -1;
    }
  }

  /** The gateway's cells of `gatewayMetrics`, up to date. */
  readMetrics(): MetricCells {
    const { cells } = this.#meter;
    const { metrics } = gatewayMetrics;
    const { writer } = this.#parts;
    put(cells, metrics.managementInFlight, this.#management.inFlight);
    put(cells, metrics.consoleInFlight, this.#console.inFlight);
    put(cells, metrics.writerInFlight, writer.inFlight);
    put(cells, metrics.writerQueueDepth, writer.queueDepth);
    put(cells, metrics.writerQueueBytes, writer.queueBytes);
    return cells;
  }

  /** Moves with each request that comes. */
  get #come(): number {
    return countEvents(this.#meter.cells, gatewayMetrics.metrics.durations) + this.#inFlight;
  }

  get #inFlight(): number {
    const { evaluators, writer } = this.#parts;
    const gates = this.#management.inFlight + this.#console.inFlight;
    return gates + evaluators.inFlight + writer.inFlight + unflushedAnswers.count;
  }

  close(): void {
    clearInterval(this.#expiry);
    clearInterval(this.#loopWatch);
    this.#server.close();
  }
}

function isManagementPath(path: string): boolean {
  return path === '/api/v1' || path.startsWith('/api/v1/');
}

function createManagementGate(
  parts: GatewayParts,
  addresses: AddressFinder,
  bodyBudget: BodyBudget,
): ManagementGate {
  const { config, docsUrl, evaluators, writer, log, logRequest, meter, tokenUses } = parts;
  return new ManagementGate({
    docsUrl,
    evaluators,
    writer,
    addresses,
    log,
    logRequest,
    meter,
    tokenUses,
    requestRate: new WindowLimiter(config.managementRateLimit),
    failedAuthentications: new WindowLimiter(config.failedAuthenticationLimit),
    bodyBudget,
    inFlightMax: config.inFlightMax,
    requestDeadlineMs: config.requestDeadlineMs,
  });
}

function createConsoleGate(
  parts: GatewayParts,
  addresses: AddressFinder,
  bodyBudget: BodyBudget,
): ConsoleGate {
  const { config, consoleSettings, evaluators, writer, storeVersion, log, meter, openId } = parts;
  return new ConsoleGate({
    openId,
    settings: consoleSettings,
    evaluators,
    writer,
    storeVersion,
    addresses,
    log,
    meter,
    bodyBudget,
    requestRate: new WindowLimiter(config.consoleRateLimit),
    inFlightMax: config.inFlightMax,
    requestDeadlineMs: config.requestDeadlineMs,
  });
}
