import { errorEnvelope } from '../contracts/error-envelope.ts';
import { parseTagCondition } from '../domain/management/entity-tag.ts';
import type { Refusal, Step } from '../domain/management/refusal.ts';
import { guardSync, type SyncTarget } from '../domain/sync/sync-guard.ts';
import { formatSyncPosition, isUpToDate, readSyncPosition } from '../domain/sync/sync-position.ts';
import { readUsage, usageBytesMax } from '../domain/sync/sync-usage.ts';
import type { Denial } from '../domain/token/denial.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Logger, LogRequest } from '../observability/logger.ts';
import { refusalAnswer, unknownRoute } from '../operations/answer-management.ts';
import { type ApiManner, syncManner } from '../operations/api-manner.ts';
import type { ApiReply, ApiRequest } from '../operations/api-reply.ts';
import type { ApiAnswer, ApiCall, ApiCallHead } from '../operations/call.ts';
import { createRouter } from '../operations/match-route.ts';
import { hashSecret } from '../support/hash-secret.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import { type ApiActors, giveRecorded, guarded } from './answers/answer-call.ts';
import type { LongAnswers } from './answers/long-answers.ts';
import type { ApiDoor, OwnParts } from './api-gate.ts';
import type { AddressLimiter } from './limits/address-limiter.ts';
import type { StreamRoom } from './limits/stream-room.ts';
import type { RequestMeter } from './request-meter.ts';
import type { RouteName } from './route-names.ts';
import type { EnvironmentWatch } from './sync/environment-watch.ts';
import type { PinnedState } from './sync/settled-state.ts';
import { type SyncedEnvironment, snapshotPieces } from './sync/sync-content.ts';
import type { SyncMeter } from './sync/sync-meter.ts';
import type { SyncStreams } from './sync/sync-streams.ts';
import { countUsage, type ReportUsage } from './sync/usage-report.ts';
import type { UsedBy } from './token-use-of.ts';

/** The path of sync below the base URL. */
export const syncPath = '/sync/v1';

export interface SyncDoorOptions {
  readonly docsUrl: string;
  readonly tokenPrefixesAccepted: readonly string[];
  readonly watch: EnvironmentWatch;
  readonly streams: SyncStreams;
  readonly room: StreamRoom;
  readonly longAnswers: LongAnswers;
  readonly writer: WriterPort;
  readonly failedAuthentications: AddressLimiter;
  readonly meter: RequestMeter;
  readonly syncMeter: SyncMeter;
  readonly reportUsage: ReportUsage;
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

const tooManyFailures =
  'Too many failed authentication attempts from this address. Wait a minute before you retry, and check the token.';
const stopping = 'The service is stopping. Retry in a moment.';
const allTaken =
  'All places for event streams are taken. Ask for the configuration without a stream, or retry later.';
const shareTaken =
  'This project has its share of the places for event streams. Ask for the configuration without a stream, or retry later.';
/** Seconds after which clients that found no place come back, at random. */
const retry = { least: 10, most: 40 };

/**
 * The door of sync: failed authentications have a limit of their own, above which they get 429. Requests
 * with a valid token are limited neither by it, nor by their rate or the plan: nothing may stop programs from evaluating.
 */
export class SyncDoor implements ApiDoor {
  readonly manner: ApiManner;
  readonly match = match;
  readonly requestRate = { take: () => true };
  /** Streams have their own budget, and long answers theirs. */
  readonly inFlight = { take: () => true, give: () => undefined };
  readonly actors: ApiActors;
  readonly #options: SyncDoorOptions;

  constructor(options: SyncDoorOptions) {
    this.#options = options;
    this.manner = syncManner(options.docsUrl);
    const { longAnswers, writer, log, meter } = options;
    this.actors = {
      reads: { read: () => unread(), refuse: (call) => this.#refuseByHead(call) },
      longAnswers,
      writer,
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
    reply.refuseUnavailable(stopping);
  }

  /** A valid token passes whatever others of its address have tried: `mayFail` limits those that fail, alone. */
  admit(): boolean {
    return true;
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
    const state = this.#options.watch.pin();
    const step = this.#guard(call, state);
    if (!step.ok) {
      state.release();
      const refusal = this.#refusal(step.refusal, call);
      guarded(reply, this.actors, giveRecorded(reply, refusal, String(refusal.body), this.actors));
      return undefined;
    }
    if (reports.has(call.operation)) return this.#report(reply, call, step.value, state);
    if (asksForStream(reply.request.accept ?? '')) {
      state.release();
      this.#open(reply, step.value);
    } else state.whenSettled(() => this.#giveSnapshot(reply, step.value, state));
    return undefined;
  }

  #guard(call: ApiCallHead, { snapshot }: PinnedState): Step<SyncTarget> {
    const { projectId = '', environment = null } = call.params;
    const request = { authorization: call.credential, projectId, environment };
    return guardSync(snapshot.queries, request, {
      now: Date.now(),
      acceptedPrefixes: this.#options.tokenPrefixesAccepted,
      hashSecret,
    });
  }

  #refuseByHead(call: ApiCallHead): ApiAnswer | null {
    const state = this.#options.watch.pin();
    try {
      const step = this.#guard(call, state);
      return step.ok ? null : this.#refusal(step.refusal, call);
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

  #open(reply: ApiReply, { token, project, environment, environmentNumber }: SyncTarget): void {
    const { streams, room, syncMeter } = this.#options;
    if (streams.isClosed) {
      reply.refuseUnavailable(stopping);
      return;
    }
    const holder = { projectId: project.id, browser: null };
    const refused = room.take(holder);
    if (refused !== null) {
      syncMeter.countRefused(refused);
      const seconds = Math.round(retry.least + Math.random() * (retry.most - retry.least));
      const detail = refused === 'all' ? allTaken : shareTaken;
      reply.refuse({ code: 'service-unavailable', detail }, seconds);
      return;
    }
    reply.begin(200, { contentType: 'text/event-stream' }, token.id);
    const { exchange, request } = reply;
    if (exchange.isOver) {
      room.give(holder);
      return;
    }
    const { header } = request;
    streams.open({
      exchange,
      environment: { projectId: project.id, environmentNumber, name: environment?.name ?? null },
      tokenId: token.id,
      lastEvent: header === null ? null : readSyncPosition(header),
    });
  }

  #giveSnapshot(reply: ApiReply, target: SyncTarget, state: PinnedState): void {
    const { exchange, request } = reply;
    if (exchange.isOver) {
      state.release();
      return;
    }
    const { token, project, environment, environmentNumber } = target;
    const { history, snapshot } = state;
    const number = snapshot.sync.versionOf(project.id, environmentNumber);
    const version = formatSyncPosition({ history, number });
    const fields = { contentType: 'application/json', entityTag: `"${version}"` };
    if (isKnown(request.header, state, number)) {
      state.release();
      reply.answer(304, '', { entityTag: fields.entityTag }, token.id);
      return;
    }
    const synced: SyncedEnvironment = {
      projectId: project.id,
      environmentNumber,
      name: environment?.name ?? null,
    };
    this.#options.syncMeter.countEvent('snapshot');
    this.#options.longAnswers.send({
      exchange,
      status: 200,
      pieces: snapshotPieces(state, synced, version),
      get heldBytes() {
        return snapshot.held.bytes;
      },
      isPinned: true,
      holder: () => ({
        asker: token.id,
        project: project.id,
        organisation: project.organisationId,
        address: request.limitKey,
      }),
      release: () => state.release(),
      headers: () => reply.headers(200, fields),
      answerWhole: (whole) => reply.answer(200, whole, fields, token.id),
      refuse: (detail) => reply.refuseUnavailable(detail),
      fail: (fault, hasBegun) => {
        this.actors.onFault(fault, request);
        if (!hasBegun) reply.refuseInternal();
      },
      onOver: () => reply.finishLong(200, token.id),
    });
  }

  async #report(reply: ApiReply, call: ApiCall, target: SyncTarget, state: PinnedState): Promise<void> {
    const { token, project, environmentNumber } = target;
    try {
      const usage = readUsage(call.body);
      if (!('reportId' in usage)) {
        const body = errorEnvelope(
          { code: 'invalid-request', detail: usage.detail() },
          this.#options.docsUrl,
        );
        return reply.answer(400, body, { contentType: 'application/json' }, token.id);
      }
      const { counted, ...summary } = countUsage(
        usage,
        project.id,
        environmentNumber,
        state.snapshot.evaluation,
      );
      const key = `${project.id}/${environmentNumber}/${usage.reportId}`;
      const isNew = await this.#options.reportUsage(key, counted);
      if (isNew) this.#options.syncMeter.countUsage(summary.evaluations, summary.unknownFlags);
      const { flags, unknownFlags } = summary;
      reply.answerJson({ counted: isNew ? flags : 0, unknownFlags, isRepeated: !isNew }, {}, token.id);
    } finally {
      state.release();
    }
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
    this.#options.logRequest({
      ...{
        requestId,
        tokenId,
        method,
        route: this.countedAs(request),
        status,
        durationMs,
        address,
        outcome,
        callerIds,
      },
    });
  }

  #refuseTooManyFailures(reply: ApiReply): void {
    const seconds = this.#options.failedAuthentications.retryAfterSeconds(reply.request.limitKey);
    this.#options.meter.countLimited('failed-authentications');
    reply.refuse({ code: 'too-many-failed-attempts', detail: tooManyFailures }, seconds);
  }
}

function asksForStream(accept: string): boolean {
  return accept.toLowerCase().includes('text/event-stream');
}

/** Whether a client that sends the tags knows everything: it may know a later number than that of the last change. */
function isKnown(header: string | null, { history, number }: PinnedState, version: number): boolean {
  const condition = header === null ? null : parseTagCondition(header);
  if (condition === null) return false;
  return (
    condition.isAny ||
    condition.tags.some(({ opaque }) => {
      const known = readSyncPosition(opaque);
      return known !== null && isUpToDate(known, { history, number }, version);
    })
  );
}

function unread(): never {
  throw new Error('sync reads no operations');
}
