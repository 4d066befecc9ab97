import { setTimeout } from 'node:timers/promises';
import type { Refusal, Step } from '../domain/management/refusal.ts';
import { guardSync, type SyncTarget } from '../domain/sync/sync-guard.ts';
import { usageBytesMax } from '../domain/sync/sync-usage.ts';
import type { Denial } from '../domain/token/denial.ts';
import { acceptedValues } from '../http/accepted-values.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger, LogRequest } from '../observability/logger.ts';
import { refusalAnswer, unknownRoute } from '../operations/answer-management.ts';
import { type ApiManner, syncManner } from '../operations/api-manner.ts';
import type { ApiReply, ApiRequest } from '../operations/api-reply.ts';
import type { ApiAnswer, ApiCall, ApiCallHead, HeadCheck } from '../operations/call.ts';
import { createRouter } from '../operations/match-route.ts';
import { sparseDenials } from '../streams/sparse-denials.ts';
import type { PinnedState } from '../streams/store-watch.ts';
import { hashSecret } from '../support/hash-secret.ts';
import type { WriteOutcome, WriterPort } from '../writer/client/writer-client.ts';
import { type ApiActors, giveRecorded, guarded } from './answers/answer-call.ts';
import type { ApiDoor, OwnParts } from './api-gate.ts';
import type { AddressLimiter } from './limits/address-limiter.ts';
import type { RequestMeter } from './request-meter.ts';
import type { RouteName } from './route-names.ts';
import { SyncAnswers, type SyncAnswersOptions, syncStopping } from './sync-answers.ts';
import type { UsedBy } from './token-use-of.ts';

/** The path of sync below the base URL. */
export const syncPath = '/sync/v1';

export interface SyncDoorOptions extends SyncAnswersOptions {
  readonly tokenPrefixesAccepted: readonly string[];
  readonly writer: WriterPort;
  readonly failedAuthentications: AddressLimiter;
  readonly meter: RequestMeter;
  onTokenUsed(use: UsedBy, status: number, tokenId: string): void;
  countUnrecordedDenial: ApiActors['countUnrecordedDenial'];
  readonly log: Logger;
  readonly logRequest: LogRequest;
}

const routes = {
  read: `GET ${syncPath}/{projectId}`,
  readEnvironment: `GET ${syncPath}/{projectId}/{environment}`,
  report: `POST ${syncPath}/usage/{projectId}`,
  reportEnvironment: `POST ${syncPath}/usage/{projectId}/{environment}`,
} as const;
type OperationId = keyof typeof routes;

const reports: ReadonlySet<string | null> = new Set<OperationId>(['report', 'reportEnvironment']);
const match = createRouter<OperationId>(routes, '');

/**
 * Delay of a repeated refusal of one token. Nothing limits the rate of a valid token, and a program that asks again at
 * once would load the worker with refusals.
 */
const repeatedRefusalMs = 1000;

const tooManyFailures =
  'Too many failed authentication attempts from this address. Wait a minute before you retry, and check the token.';
/**
 * The entry of sync. Failed authentications have a limit of their own, above which they get 429. Requests with a valid
 * token have no limit, so that programs can always evaluate.
 */
export class SyncDoor implements ApiDoor {
  readonly manner: ApiManner;
  readonly match = match;
  readonly requestRate = { take: () => true };
  /** Streams have their own budget, and long answers theirs. */
  readonly requests = null;
  readonly actors: ApiActors;
  readonly #options: SyncDoorOptions;
  readonly #answers: SyncAnswers;
  readonly #denials = sparseDenials();

  constructor(options: SyncDoorOptions) {
    this.#options = options;
    this.manner = syncManner(options.docsUrl);
    const { longAnswers, writer, log, meter } = options;
    this.actors = {
      reads: { read: () => unread(), checkHead: (call) => this.#checkHead(call) },
      longAnswers,
      writer: {
        write: (call) => writer.write(call),
        recordDenial: (denial) => this.#recordDenial(denial),
      },
      mayFail: (reply) => {
        meter.countFailedAuthentication();
        const isCounted = options.failedAuthentications.take(reply.request.limitKey);
        if (!isCounted) this.#refuseTooManyFailures(reply);
        return isCounted;
      },
      countUnrecordedDenial: (request, outcome) => options.countUnrecordedDenial(request, outcome),
      touch: () => undefined,
      onFault: (fault, { requestId, callerIds }) =>
        log.error({ err: fault, requestId, ...callerIds }, 'sync request failed'),
    };
    this.#answers = new SyncAnswers(options, this.actors.onFault);
  }

  own(view: RequestView, id: string | null): OwnParts {
    const accept = view.joinedHeader('accept') ?? '';
    const isStream = !reports.has(id) && asksForStream(accept);
    return {
      credential: view.headerValues('authorization')[0] ?? null,
      cookies: [],
      header: view.joinedHeader(isStream ? 'last-event-id' : 'if-none-match'),
      accept,
      userAgent: '',
      isBackground: false,
    };
  }

  countedAs({ operation, accept = '' }: ApiRequest): RouteName {
    if (operation === null) return 'sync-other';
    if (reports.has(operation)) return 'sync-usage';
    return asksForStream(accept) ? 'sync-stream' : 'sync-snapshot';
  }

  refuseRate(reply: ApiReply): void {
    reply.refuseUnavailable(syncStopping);
  }

  /** A valid token always passes: `mayFail` limits requests that fail. */
  admit(): boolean {
    return true;
  }

  isRead({ operation }: ApiRequest): boolean {
    return !reports.has(operation);
  }

  bodyBytesMax({ operation }: ApiRequest): number | null {
    return reports.has(operation) ? usageBytesMax : null;
  }

  refuseTooLarge(reply: ApiReply, bytesMax: number): boolean {
    const detail = `A report of usage has at most ${bytesMax.toLocaleString('en')} bytes. Send several.`;
    reply.refuse({ code: 'payload-too-large', detail });
    return true;
  }

  answer(reply: ApiReply, call: ApiCall): Promise<void> | undefined {
    const state = this.#options.streams.pin();
    const step = this.#guard(call, state);
    if (!step.ok) {
      state.release();
      const refusal = this.#refusal(step.problem, call);
      guarded(reply, this.actors, giveRecorded(reply, refusal, String(refusal.body), this.actors));
      return undefined;
    }
    if (reports.has(call.operation)) {
      state.release();
      return this.#answers.takeReport(reply, call.body, step.value);
    }
    if (asksForStream(reply.request.accept ?? '')) {
      state.release();
      this.#answers.open(reply, step.value);
    } else state.whenSettled(() => this.#answers.giveSnapshot(reply, step.value, state));
    return undefined;
  }

  #guard(call: ApiCallHead, { snapshot }: PinnedState): Step<SyncTarget> {
    const { projectId = '', environment = null } = call.params;
    const place = call.operation === null ? null : { projectId, environment };
    const request = { authorization: call.credential, place };
    return guardSync(snapshot.queries, request, {
      now: Date.now(),
      acceptedPrefixes: this.#options.tokenPrefixesAccepted,
      hashSecret,
    });
  }

  #checkHead(call: ApiCallHead): HeadCheck {
    const state = this.#options.streams.pin();
    try {
      const step = this.#guard(call, state);
      if (!step.ok) return { refusal: this.#refusal(step.problem, call) };
      const { token, project } = step.value;
      return { asker: { asker: token.id, project: project.id, organisation: project.organisationId } };
    } finally {
      state.release();
    }
  }

  #refusal(refusal: Refusal, call: ApiCallHead): ApiAnswer {
    const { tokenId, denialReason: reason, environment } = refusal;
    const route = call.operation === null ? unknownRoute : routes[call.operation as OperationId];
    const denial: Denial | null =
      tokenId === null || reason === null
        ? null
        : { tokenId, at: Date.now(), reason, route, environment, address: call.address };
    return refusalAnswer(refusal, denial, this.#options);
  }

  /** A refusal soon after a recorded one of the same token is not recorded, and is answered late. */
  async #recordDenial(denial: Denial): Promise<WriteOutcome> {
    if (!this.#denials.pass(denial.tokenId, denial.at)) {
      await setTimeout(repeatedRefusalMs, undefined, { ref: false });
      return { kind: 'recorded' };
    }
    const outcome = await this.#options.writer.recordDenial(denial);
    if (outcome.kind !== 'recorded') this.#denials.forget(denial.tokenId);
    return outcome;
  }

  note(request: ApiRequest, status: number, tokenId: string | null, durationMs: number): void {
    const { requestId, callerIds, method, operation, params, address } = request;
    const route = operation === null ? null : routes[operation as OperationId];
    if (tokenId !== null) {
      const { environment } = params;
      const query = environment === undefined ? '' : `env=${encodeURIComponent(environment)}`;
      this.#options.onTokenUsed({ route, query, address }, status, tokenId);
    }
    const outcome = status === 0 ? 'the client went away' : undefined;
    const counted = this.countedAs(request);
    const line = {
      requestId,
      tokenId,
      method,
      route: counted,
      status,
      durationMs,
      address,
      outcome,
      callerIds,
    };
    this.#options.logRequest(line);
  }

  #refuseTooManyFailures(reply: ApiReply): void {
    const seconds = this.#options.failedAuthentications.retryAfterSeconds(reply.request.limitKey);
    this.#options.meter.countLimited('failed-authentications');
    reply.refuse({ code: 'too-many-failed-attempts', detail: tooManyFailures }, seconds);
  }
}

function asksForStream(accept: string): boolean {
  return acceptedValues(accept).includes('text/event-stream');
}

function unread(): never {
  throw new Error('sync reads no operations');
}
