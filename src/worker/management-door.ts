import { bodyBytesMax } from '../domain/management/request-body.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger, LogRequest } from '../observability/logger.ts';
import {
  managementPreflightHeaders,
  rateLimitedHeaders,
  tooManyRequestsText,
} from '../operations/answer-headers.ts';
import { type ApiManner, managementManner } from '../operations/api-manner.ts';
import type { ApiReply, ApiRequest } from '../operations/api-reply.ts';
import type { ApiCall, ApiReads } from '../operations/call.ts';
import type { ManagementOperation } from '../operations/management-operation.ts';
import { managementOperations } from '../operations/management-operations.ts';
import { createRouter } from '../operations/match-route.ts';
import type { ReadQueue } from '../operations/read-queue.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import { answerRead, answerWrite, type ReadingActors } from './answers/answer-call.ts';
import type { LongAnswers } from './answers/long-answers.ts';
import type { ApiDoor, OwnParts } from './api-gate.ts';
import type { AddressLimiter } from './limits/address-limiter.ts';
import type { Pool } from './limits/quota.ts';
import type { RequestMeter } from './request-meter.ts';
import type { RouteName } from './route-names.ts';
import type { UsedBy } from './token-use-of.ts';

export interface ManagementDoorOptions {
  readonly docsUrl: string;
  readonly reads: ApiReads;
  readonly readQueue: ReadQueue;
  readonly longAnswers: LongAnswers;
  readonly writer: WriterPort;
  readonly isAttached: () => boolean;
  readonly requestRate: AddressLimiter;
  readonly failedAuthentications: AddressLimiter;
  readonly requests: Pool;
  readonly meter: RequestMeter;
  /** Counts, for all workers, the denials that could not be recorded. */
  readonly unrecordedDenials: SharedArrayBuffer;
  onTokenUsed(use: UsedBy, status: number, tokenId: string): void;
  readonly log: Logger;
  readonly logRequest: LogRequest;
}

const tooManyFailures =
  'Too many failed authentication attempts from this address. Wait a minute before you retry, and check the token.';

type OperationId = keyof typeof managementOperations;
const operations: Readonly<Record<OperationId, ManagementOperation>> = managementOperations;
const ids = Object.keys(operations) as OperationId[];
/** Routes of the Management API are whole paths. */
const match = createRouter(
  Object.fromEntries(ids.map((id) => [id, operations[id].route])) as Record<OperationId, string>,
  '',
);

function operationOf({ operation }: Pick<ApiRequest, 'operation'>): ManagementOperation | null {
  return operation === null ? null : operations[operation as OperationId];
}

/**
 * The door of the Management API: the first three steps of the decided order of checks (request rate, preflight, failed
 * authentications).
 */
export class ManagementDoor implements ApiDoor {
  readonly manner: ApiManner;
  readonly match = match;
  readonly requestRate: AddressLimiter;
  readonly requests: Pool;
  readonly actors: ReadingActors;
  readonly #options: ManagementDoorOptions;

  constructor(options: ManagementDoorOptions) {
    this.#options = options;
    this.manner = managementManner(options.docsUrl);
    this.requestRate = options.requestRate;
    this.requests = options.requests;
    const { reads, readQueue, longAnswers, writer, log, meter } = options;
    this.actors = {
      reads,
      readQueue,
      isAttached: options.isAttached,
      longAnswers,
      writer,
      mayFail: (reply) => {
        meter.countFailedAuthentication();
        const isCounted = options.failedAuthentications.take(reply.request.limitKey);
        if (!isCounted) this.#refuseTooManyFailures(reply);
        return isCounted;
      },
      countUnrecordedDenial: ({ requestId, callerIds }, outcome) => {
        meter.countUnrecordedDenial();
        const sinceStart = Atomics.add(new Int32Array(options.unrecordedDenials), 0, 1) + 1;
        log.error({ requestId, ...callerIds, outcome, sinceStart }, 'a denial was not recorded');
      },
      touch: () => undefined,
      onFault: (fault, { requestId, callerIds }) =>
        log.error({ err: fault, requestId, ...callerIds }, 'management request failed'),
    };
  }

  own(view: RequestView, id: string | null): OwnParts {
    const header = operationOf({ operation: id })?.header ?? null;
    return {
      credential: view.headerValues('authorization')[0] ?? null,
      cookies: [],
      header: header === null ? null : view.joinedHeader(header),
      userAgent: '',
      isBackground: false,
    };
  }

  countedAs({ operation }: ApiRequest): RouteName {
    return (operation as OperationId | null) ?? 'management-other';
  }

  refuseRate(reply: ApiReply): void {
    const { requestId, limitKey } = reply.request;
    const seconds = this.requestRate.retryAfterSeconds(limitKey);
    this.#options.meter.countLimited('management-requests');
    reply.answerWith(429, rateLimitedHeaders(requestId, seconds), tooManyRequestsText, null);
  }

  admit(reply: ApiReply): boolean {
    const { method, requestId, limitKey } = reply.request;
    if (method === 'options') reply.answerWith(204, managementPreflightHeaders(requestId), '', null);
    else if (this.#options.failedAuthentications.isFull(limitKey)) this.#refuseTooManyFailures(reply);
    else return true;
    return false;
  }

  isRead(request: ApiRequest): boolean {
    return operationOf(request)?.actor !== 'write';
  }

  bodyBytesMax(request: ApiRequest): number | null {
    return operationOf(request)?.actor === 'write' ? bodyBytesMax : null;
  }

  /** Step 8 of the order of checks is the operation's. */
  refuseTooLarge(): boolean {
    return false;
  }

  answer(reply: ApiReply, call: ApiCall): Promise<void> | undefined {
    if (operationOf(call)?.actor === 'write') return answerWrite(reply, call, this.actors);
    return answerRead(reply, call, this.actors);
  }

  note(request: ApiRequest, status: number, tokenId: string | null, durationMs: number): void {
    const { requestId, callerIds, method, operation: route, address, query } = request;
    if (tokenId !== null) {
      this.#options.onTokenUsed(
        { route: operationOf(request)?.route ?? null, query, address },
        status,
        tokenId,
      );
    }
    const outcome = status === 0 ? 'the client went away' : undefined;
    const line = { requestId, tokenId, method, route, status, durationMs, address, outcome, callerIds };
    this.#options.logRequest(line);
  }

  #refuseTooManyFailures(reply: ApiReply): void {
    const seconds = this.#options.failedAuthentications.retryAfterSeconds(reply.request.limitKey);
    this.#options.meter.countLimited('failed-authentications');
    reply.refuse({ code: 'too-many-failed-attempts', detail: tooManyFailures }, seconds);
  }
}
