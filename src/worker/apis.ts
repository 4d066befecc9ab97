import type { ConsoleProblem } from '../domain/console/console-problem.ts';
import { refuse } from '../domain/outcome.ts';
import type { SyncTarget } from '../domain/sync/sync-guard.ts';
import { acceptedValues } from '../http/accepted-values.ts';
import { acceptedCoding } from '../http/content-coding.ts';
import type { RequestView } from '../http/request-view.ts';
import type { LogRequest } from '../observability/logger.ts';
import { formatOf } from '../operations/api-request.ts';
import { consoleOperations } from '../operations/console-operations.ts';
import type { ConversationActors } from '../operations/conversation.ts';
import { type Operation, readInput } from '../operations/dispatch.ts';
import { managementOperations } from '../operations/management-operations.ts';
import { consoleApiPath, createRouter } from '../operations/match-route.ts';
import type { ConsoleConversation, ConsoleOperation } from '../operations/operation.ts';
import { readTooLate } from '../operations/refuse-undecided.ts';
import { syncOperations } from '../operations/sync/sync-operations.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import type { AnswerEncoders } from './answers/answer-encoder.ts';
import type { Api, ApiRequest, ApiServices, OwnParts } from './api.ts';
import type { AddressLimiter } from './limits/address-limiter.ts';
import type { Pool } from './limits/quota.ts';
import { answerRead, answerWrite } from './operation-answers.ts';
import { countedRoutes, type RouteName } from './route-names.ts';
import { type SyncAnswers, sparseRecording } from './sync-answers.ts';
import type { UsedBy } from './token-use-of.ts';

/* The parts in which the APIs of operations differ. `pipeline.ts` has what they share. */

interface ApiParts {
  readonly docsUrl: string;
  readonly services: ApiServices;
  readonly writer: WriterPort;
  readonly logRequest: LogRequest;
}

interface TokenApiParts extends ApiParts {
  onTokenUsed(use: UsedBy, status: number, tokenId: string): void;
}

/** Runs a read or a change. */
function run(request: ApiRequest, api: Api): Promise<void> | undefined {
  const { operation } = request;
  return operation?.actor === 'read' ? answerRead(request, operation, api) : answerWrite(request, api);
}

function lineOf({ call, head }: ApiRequest, status: number, durationMs: number) {
  return {
    requestId: call.requestId,
    method: head.method,
    route: call.operation,
    status,
    durationMs,
    address: call.address,
    outcome: status === 0 ? 'the client went away' : undefined,
    callerIds: head.callerIds,
  };
}

/** @returns the token; null for a request without a real one, or whose client went away */
function tokenIdOf({ callerId }: ApiRequest, status: number): string | null {
  return status === 0 ? null : callerId;
}

/** @returns the parts of a request that has a token and no session */
function tokenParts(view: RequestView, header: string | null, accept: string): OwnParts {
  return {
    credential: view.headerValues('authorization')[0] ?? null,
    header,
    userAgent: '',
    cookies: [],
    accept,
    coding: undefined,
    isBackground: false,
    isForeign: false,
  };
}

interface ManagementApiParts extends TokenApiParts {
  readonly requestRate: AddressLimiter;
  readonly failedAuthentications: AddressLimiter;
  readonly requests: Pool;
}

export function managementApi(parts: ManagementApiParts): Api {
  const { docsUrl, services, writer, requestRate, failedAuthentications: limiter, logRequest } = parts;
  const api: Api = {
    ...services,
    format: formatOf('management', docsUrl),
    // Routes of the Management API are whole paths.
    match: createRouter<Operation>(Object.values(managementOperations), ''),
    requestRate: { limiter: requestRate, countedAs: 'management-requests', detail: null },
    hasPreflight: true,
    failedAuthentications: { limiter, areCheckedFirst: true },
    requests: parts.requests,
    writer,
    encoders: null,
    copy: (view, operation) => {
      const header = operation?.api === 'management' ? operation.header : null;
      return tokenParts(view, header === null ? null : view.joinedHeader(header), '');
    },
    countedAs: (operation) => (operation?.id as RouteName | undefined) ?? 'management-other',
    run: (request) => run(request, api),
    note: (request, status, durationMs) => {
      const tokenId = tokenIdOf(request, status);
      const { query, address } = request.call;
      const route = request.operation?.route ?? null;
      if (tokenId !== null) parts.onTokenUsed({ route, query, address }, status, tokenId);
      logRequest({ ...lineOf(request, status, durationMs), tokenId });
    },
  };
  return api;
}

/**
 * The web app sends this header with `1` for requests that its user did not cause. It can only make a session end
 * sooner.
 */
const backgroundHeader = 'x-burgee-background';
/** The id of the member whom the page shows: the session of its browser may have become another member's. */
const memberHeader = 'burgee-member';
/** Characters of the browser's name that are kept with a session. */
const userAgentCharsMax = 256;
const tooManyConsoleRequests = 'Too many console requests from this address. Wait a minute before you retry.';
const consoleCounts = {
  read: 'console-read',
  write: 'console-change',
  conversation: 'console-session',
} as const;

interface ConsoleApiParts extends ApiParts {
  readonly requestRate: AddressLimiter;
  readonly requests: Pool;
  readonly encoders: AnswerEncoders;
  readonly actors: ConversationActors;
}

export function consoleApi(parts: ConsoleApiParts): Api {
  const { docsUrl, services, writer, requestRate, requests, encoders, actors, logRequest } = parts;
  const ownOrigin = new URL(actors.settings.baseUrl).origin;
  const api: Api = {
    ...services,
    format: formatOf('console', docsUrl),
    match: createRouter<Operation>(Object.values<ConsoleOperation>(consoleOperations), consoleApiPath),
    requestRate: { limiter: requestRate, countedAs: 'console-requests', detail: tooManyConsoleRequests },
    hasPreflight: false,
    failedAuthentications: null,
    requests,
    writer,
    encoders,
    copy: (view) => {
      const cookies = view.headerValues('cookie');
      const isGet = view.method() === 'get';
      return {
        credential: actors.cookie.read(cookies),
        header: view.header(memberHeader) || null,
        userAgent: printable(view.header('user-agent')),
        cookies,
        accept: '',
        coding: acceptedCoding(view.header('accept-encoding')),
        // A change always comes from a person: the header counts for reads only.
        isBackground: isGet && view.header(backgroundHeader) === '1',
        isForeign: !isGet && !isOwnOrigin(view, ownOrigin),
      };
    },
    countedAs: (operation) => {
      if (operation?.api !== 'console') return 'console-other';
      const isStream = operation.id === 'watch-project' || operation.id === 'watch-organisation';
      return isStream ? 'console-events' : consoleCounts[operation.actor];
    },
    run: (request) => {
      const { operation } = request;
      return operation?.actor === 'conversation'
        ? converse(request, operation, api, actors)
        : run(request, api);
    },
    note: (request, status, durationMs) => {
      const memberId = status === 0 ? null : request.callerId;
      logRequest({ ...lineOf(request, status, durationMs), memberId });
    },
  };
  return api;
}

/** Runs the steps of a request's operation. */
async function converse(
  request: ApiRequest,
  operation: ConsoleConversation,
  { readQueue }: Api,
  actors: ConversationActors,
): Promise<void> {
  const inputs: ReturnType<typeof readInput>[] = [];
  // A body may consist of faults only, and to describe them takes a millisecond.
  await readQueue.run(() => {
    if (!request.exchange.isOver) inputs.push(readInput(operation, request.call));
  });
  const input = inputs[0] ?? refuse('service-unavailable', readTooLate);
  if (!input.ok) request.refuse(input.problem satisfies ConsoleProblem);
  // The body has the shape that the operation declares.
  else await operation.run({ request, body: input.value.body as never }, actors);
}

/** A header's bytes are read as latin1; characters outside ASCII are shown as a question mark. */
function printable(text: string): string {
  return text.slice(0, userAgentCharsMax).replace(/[^\x20-\x7e]/g, '?');
}

/**
 * A header that only a script of the same origin can add: for another site the browser sends a preflight request, which
 * is refused.
 */
const proofHeader = 'x-burgee-console';

/**
 * Whether a request that may change something was made by the console in this browser, and not by another site on the
 * member's behalf. Behind TLS its origin must be that of the base URL. Without TLS the browser's address may have
 * another name than the base URL (a machine has many): there the host of the origin must be the requested host.
 */
function isOwnOrigin(view: RequestView, ownOrigin: string): boolean {
  if (view.header(proofHeader) !== '1') return false;
  const site = view.header('sec-fetch-site');
  if (site !== '' && site !== 'same-origin') return false;
  const origin = view.header('origin');
  if (origin === '') return site === 'same-origin';
  if (origin === ownOrigin) return true;
  return ownOrigin.startsWith('http:') && origin === `http://${view.header('host').toLowerCase()}`;
}

interface SyncApiParts extends TokenApiParts {
  readonly failedAuthentications: AddressLimiter;
  readonly answers: SyncAnswers;
}

/** Requests with a valid token have no limit of their own, so that programs can always evaluate. */
export function syncApi(parts: SyncApiParts): Api {
  const { docsUrl, services, writer, failedAuthentications: limiter, answers, logRequest } = parts;
  return {
    ...services,
    format: formatOf('sync', docsUrl),
    match: createRouter<Operation>(syncOperations, ''),
    requestRate: null,
    hasPreflight: false,
    failedAuthentications: { limiter, areCheckedFirst: false },
    // Streams have their own quota, and long answers theirs.
    requests: null,
    writer: sparseRecording(writer),
    encoders: null,
    copy: (view, operation) => {
      const accept = view.joinedHeader('accept') ?? '';
      const isStream = operation?.bodyBytesMax == null && asksForStream(accept);
      return tokenParts(view, view.joinedHeader(isStream ? 'last-event-id' : 'if-none-match'), accept);
    },
    countedAs: (operation, accept) => {
      if (operation?.api !== 'sync') return 'sync-other';
      if (operation.isReport) return 'sync-usage';
      return asksForStream(accept) ? 'sync-stream' : 'sync-snapshot';
    },
    run: (request) => {
      const target = request.caller?.principal as SyncTarget;
      if (request.operation?.api === 'sync' && request.operation.isReport) {
        return answers.takeReport(request, target);
      }
      if (asksForStream(request.head.accept)) answers.open(request, target);
      else answers.giveSnapshot(request, target);
      return undefined;
    },
    note: (request, status, durationMs) => {
      const tokenId = tokenIdOf(request, status);
      const { address, params } = request.call;
      if (tokenId !== null) {
        const { environment } = params;
        const query = environment === undefined ? '' : `env=${encodeURIComponent(environment)}`;
        parts.onTokenUsed({ route: request.operation?.route ?? null, query, address }, status, tokenId);
      }
      const route = countedRoutes[request.exchange.route]?.route ?? null;
      logRequest({ ...lineOf(request, status, durationMs), route, tokenId });
    },
  };
}

function asksForStream(accept: string): boolean {
  return acceptedValues(accept).includes('text/event-stream');
}
