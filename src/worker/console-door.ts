import type { TSchema } from 'typebox';
import type { ConsoleProblem } from '../domain/console/console-problem.ts';
import { bodyBytesMax } from '../domain/management/request-body.ts';
import { type Outcome, refuse } from '../domain/outcome.ts';
import { acceptedCoding } from '../http/content-coding.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger, LogRequest } from '../observability/logger.ts';
import { consoleOperation } from '../operations/answer-console-read.ts';
import { type ApiManner, consoleManner } from '../operations/api-manner.ts';
import type { ApiReply, ApiRequest } from '../operations/api-reply.ts';
import type { ApiAnswer, ApiCall, ApiReads } from '../operations/call.ts';
import { readConsoleBody } from '../operations/console-body.ts';
import { readConsoleQuery } from '../operations/console-query.ts';
import { type ConsoleOperationId, consoleRoutes } from '../operations/console-routes.ts';
import type { ConsoleSettings } from '../operations/console-settings.ts';
import type { ConversationActors } from '../operations/conversation.ts';
import { consoleApiPath, createRouter } from '../operations/match-route.ts';
import type { ConsoleConversation } from '../operations/operation.ts';
import type { ReadQueue } from '../operations/read-queue.ts';
import { overloaded } from '../operations/refuse-undecided.ts';
import { openIdCookie } from '../operations/sessions/open-id/open-id-cookie.ts';
import { type SessionCookie, sessionCookie } from '../operations/sessions/session-cookie.ts';
import type { PageWatchers } from '../operations/watching/page-watchers.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import { answerRead, answerWrite, type ReadingActors } from './answers/answer-call.ts';
import type { AnswerEncoders } from './answers/answer-encoder.ts';
import type { LongAnswers } from './answers/long-answers.ts';
import type { ApiDoor, OwnParts } from './api-gate.ts';
import type { HostClient } from './host-client.ts';
import type { AddressLimiter } from './limits/address-limiter.ts';
import { AttemptLimiters, type AttemptMemory } from './limits/attempt-limiters.ts';
import { ClusterAttempts } from './limits/cluster-attempts.ts';
import type { Pool } from './limits/quota.ts';
import type { RequestMeter } from './request-meter.ts';
import { foreignOrigin, isOwnOrigin } from './request-origin.ts';
import type { RouteName } from './route-names.ts';

export interface ConsoleDoorOptions {
  readonly settings: ConsoleSettings;
  readonly reads: ApiReads;
  readonly readQueue: ReadQueue;
  readonly longAnswers: LongAnswers;
  readonly encoders: AnswerEncoders;
  readonly writer: WriterPort;
  /** For what the process does once, but for changes. */
  readonly host: HostClient;
  readonly watchers: PageWatchers;
  readonly isAttached: () => boolean;
  readonly requestRate: AddressLimiter;
  readonly requests: Pool;
  readonly attempts: AttemptMemory;
  readonly meter: RequestMeter;
  readonly log: Logger;
  readonly logRequest: LogRequest;
  /** Whether a provider is configured. */
  readonly hasOpenId: boolean;
}

const noOperation = 'The console has no endpoint of this method and path.';
const tooManyRequests = 'Too many console requests from this address. Wait a minute before you retry.';
/** The largest body that a worker reads itself: a secret, a name, a password, the attributes of a trial. */
const smallBodyBytesMax = 16 * 1024;
/** A longer one may have to wait for other reads. */
const shortBodyBytesMax = 1024;
/**
 * The web app sends this header with `1` for requests that its user did not cause. It can only make a session end
 * sooner.
 */
const backgroundHeader = 'x-burgee-background';
/** Characters of the browser's name that are kept with a session. */
const userAgentCharsMax = 256;

const match = createRouter<ConsoleOperationId>(consoleRoutes, consoleApiPath);
const countedAs = {
  read: 'console-read',
  write: 'console-change',
  conversation: 'console-session',
} as const;

/**
 * The door of the console's API. After the request rate it checks the requests in flight, the operation, the origin of
 * a request that may change something, and the query.
 */
export class ConsoleDoor implements ApiDoor {
  readonly manner: ApiManner;
  readonly match = match;
  readonly requestRate: AddressLimiter;
  readonly requests: Pool;
  readonly actors: ReadingActors & ConversationActors;
  readonly #options: ConsoleDoorOptions;
  readonly #cookie: SessionCookie;
  readonly #ownOrigin: string;

  constructor(options: ConsoleDoorOptions) {
    this.#options = options;
    this.requestRate = options.requestRate;
    this.requests = options.requests;
    const { settings, reads, readQueue, longAnswers, encoders, writer, host, log, watchers, meter } = options;
    const attempts = new AttemptLimiters(options.attempts, meter);
    this.manner = consoleManner(settings.docsUrl);
    this.#cookie = sessionCookie(settings.baseUrl);
    this.#ownOrigin = new URL(settings.baseUrl).origin;
    this.actors = {
      reads,
      readQueue,
      isAttached: options.isAttached,
      longAnswers,
      encoders,
      writer,
      // Sessions have attempts of their own, and no denials.
      mayFail: () => true,
      countUnrecordedDenial: () => undefined,
      watchers,
      settings,
      cookie: this.#cookie,
      passwords: host.passwords,
      attempts: settings.isCluster ? new ClusterAttempts(attempts, host.attempts, meter) : attempts,
      openIdCookie: openIdCookie(settings.baseUrl),
      openId: options.hasOpenId ? host.openId : null,
      nodes: host.nodes,
      syncStreams: host.syncStreams,
      touch: (sessionId) => {
        if (sessionId !== null) host.tell({ kind: 'touched', sessionId });
      },
      onFault: (fault, { requestId, callerIds }) =>
        log.error({ err: fault, requestId, ...callerIds }, 'console request failed'),
    };
  }

  own(view: RequestView): OwnParts {
    const cookies = view.headerValues('cookie');
    return {
      credential: this.#cookie.read(cookies),
      cookies,
      header: null,
      coding: acceptedCoding(view.header('accept-encoding')),
      userAgent: printable(view.header('user-agent')),
      // A change always comes from a person: the header counts for reads only.
      isBackground: view.method() === 'get' && view.header(backgroundHeader) === '1',
    };
  }

  countedAs({ operation }: ApiRequest): RouteName {
    if (operation === null) return 'console-other';
    if (operation === 'watch-project' || operation === 'watch-organisation') return 'console-events';
    return countedAs[consoleOperation(operation).actor];
  }

  refuseRate(reply: ApiReply): void {
    const seconds = this.requestRate.retryAfterSeconds(reply.request.limitKey);
    this.#options.meter.countLimited('console-requests');
    reply.refuse({ code: 'too-many-requests', detail: tooManyRequests }, seconds);
  }

  admit(reply: ApiReply, view: RequestView): boolean {
    const { operation, method, query } = reply.request;
    if (operation === null) reply.refuse({ code: 'not-found', detail: noOperation });
    else if (method !== 'get' && !isOwnOrigin(view, this.#ownOrigin)) {
      reply.refuse({ code: 'foreign-origin', detail: foreignOrigin });
    } else {
      const { query: known, hasForeignQuery } = consoleOperation(operation);
      const read = readConsoleQuery(hasForeignQuery ? '' : query, known);
      if (read.ok) return true;
      reply.refuse({ code: 'invalid-request', detail: read.detail });
    }
    return false;
  }

  isRead({ operation }: ApiRequest): boolean {
    return consoleOperation(operation).actor === 'read';
  }

  bodyBytesMax({ operation }: ApiRequest): number | null {
    const { body, actor, access } = consoleOperation(operation);
    if (body === null) return null;
    return actor === 'write' && access.scope !== 'public' ? bodyBytesMax : smallBodyBytesMax;
  }

  refuseTooLarge(reply: ApiReply, bytesMax: number): boolean {
    const detail = `The request body is larger than ${bytesMax} bytes. Send a smaller one.`;
    reply.refuse({ code: 'payload-too-large', detail });
    return true;
  }

  answer(reply: ApiReply, call: ApiCall): Promise<void> | undefined {
    const operation = consoleOperation(call.operation);
    if (operation.actor === 'conversation') return this.#converse(operation, reply, call);
    if (operation.actor === 'write') {
      return answerWrite(reply, call, this.actors, (answer) => this.#cookiesOf(call, answer));
    }
    return answerRead(reply, call, this.actors);
  }

  /** When a session has ended, its cookie is removed. */
  #cookiesOf({ operation }: ApiCall, { status }: ApiAnswer): readonly string[] {
    return operation === 'sign-out' && status < 300 ? [this.#cookie.clear()] : [];
  }

  async #converse(operation: ConsoleConversation, reply: ApiReply, { body }: ApiCall): Promise<void> {
    const sent = operation.body === null ? null : await this.#readBody(operation.body, reply, body);
    if (sent?.ok === false) reply.refuse(sent.problem);
    // The body has the shape that the operation declares.
    else await operation.run({ reply, body: (sent?.value ?? null) as never }, this.actors);
  }

  /** A long body may be nothing but faults. */
  async #readBody(
    schema: TSchema,
    reply: ApiReply,
    body: Uint8Array | null,
  ): Promise<Outcome<unknown, ConsoleProblem>> {
    if ((body?.length ?? 0) <= shortBodyBytesMax) return readConsoleBody(schema, body);
    let read: Outcome<unknown, ConsoleProblem> = refuse('service-unavailable', overloaded);
    await this.#options.readQueue.run(() => {
      if (!reply.exchange.isOver) read = readConsoleBody(schema, body);
    });
    return read;
  }

  note(request: ApiRequest, status: number, memberId: string | null, durationMs: number): void {
    const { requestId, callerIds, method, operation: route, address } = request;
    const outcome = status === 0 ? 'the client went away' : undefined;
    const line = { requestId, memberId, method, route, status, durationMs, address, outcome, callerIds };
    this.#options.logRequest(line);
  }
}

/** A header's bytes are read as latin1; characters outside ASCII are shown as a question mark. */
function printable(text: string): string {
  return text.slice(0, userAgentCharsMax).replace(/[^\x20-\x7e]/g, '?');
}
