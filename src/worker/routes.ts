import { errorEnvelope } from '../contracts/error-envelope.ts';
import type { Exchange, ExchangeClass } from '../http/exchange.ts';
import { type HeaderBlock, headerBlock } from '../http/header-block.ts';
import type { RequestView } from '../http/request-view.ts';
import type { DirectRoute, HttpMethod, HttpRoute } from '../http/worker-server.ts';
import {
  evaluationHeaders,
  evaluationPreflightHeaders,
  plainJsonHeaders,
} from '../operations/answer-headers.ts';
import { basePathOf } from '../operations/console-settings.ts';
import { consoleApiPath, isBelow, managementApiPath } from '../operations/match-route.ts';
import { syncPath } from '../operations/sync/sync-operations.ts';
import { hasRawCharacter } from '../support/query-string.ts';
import { rawCharacterProblem, refuseEvaluation } from './answers/evaluation-refusal.ts';
import type { FlagAnswer } from './answers/flag-evaluation.ts';
import { evaluateProject, type ProjectAnswerParts } from './answers/project-evaluation.ts';
import { fileSender } from './answers/send-file.ts';
import type { Api } from './api.ts';
import type { EvaluationLimit } from './limits/evaluation-limit.ts';
import { isOfrepPath } from './ofrep/ofrep-address.ts';
import type { OfrepHandler } from './ofrep/ofrep-handler.ts';
import { limitedOfrep, refuseAmbiguousOfrep } from './ofrep/ofrep-refusals.ts';
import { type DocsPages, readDocs } from './pages/docs-pages.ts';
import { placeWebApp, readWebApp, type WebApp } from './pages/web-app.ts';
import type { Pipeline } from './pipeline.ts';
import { type RouteName, routeIndex } from './route-names.ts';

export interface RouteParts {
  readonly flagAnswer: FlagAnswer;
  readonly project: ProjectAnswerParts;
  readonly ofrep: OfrepHandler;
  readonly pipeline: Pipeline;
  readonly management: Api;
  readonly console: Api;
  readonly sync: Api;
  /** Null when the console was not built. */
  readonly webApp: WebApp | null;
  readonly evaluation: EvaluationLimit;
  readonly docs: DocsPages;
  readonly docsUrl: string;
  readonly baseUrl: string;
  /** What requests of the APIs are answered through. */
  readonly apiExchange: ExchangeClass;
  onFault(fault: unknown, during: string): void;
}

type Handle = HttpRoute['handle'];

const healthy = JSON.stringify({ status: 'ok' });

function leadingTo(location: string): HeaderBlock {
  return headerBlock([
    ['Location', location],
    ['Cache-Control', 'no-store'],
  ]);
}
/** A redirect by status keeps the fragment of a link to `/docs/#section`. */
const isPermanent = 308;
const noEvaluationRouteDetail =
  'The Evaluation API has no endpoint of this method and path. The documentation lists its endpoints.';
const nothingHere =
  'There is nothing at this address. The documentation is at /docs, the console at /console/.';

/** A base URL of a client that ends in a slash gives `//ofrep`. */
const ofrepBases = ['/projects/*', '/ofrep/*', '//ofrep/*'];
const flagPattern = '/v1/flags/:flagId';

/**
 * The one endpoint that is answered before its handler returns, unless the limit of evaluations has to check addresses.
 */
export function createDirectRoutes(parts: RouteParts): readonly DirectRoute[] {
  const { flagAnswer, evaluation, apiExchange, onFault } = parts;
  if (evaluation.isLimited) return [];
  return read.map((method) => ({
    method,
    pattern: flagPattern,
    countedAs: routeIndex('evaluate-flag'),
    exchange: apiExchange,
    answer: (segment, query) => flagAnswer.answer(segment, query),
    fail: (fault) => {
      onFault(fault, 'evaluate-flag');
      return flagAnswer.fail();
    },
  }));
}

/** Every other endpoint, in one line each. A more specific pattern wins over a less specific one, in any order. */
export function createRoutes(parts: RouteParts): readonly HttpRoute[] {
  const { flagAnswer, docsUrl, evaluation } = parts;
  const basePath = basePathOf(parts.baseUrl);
  const flag = evaluation.limit((exchange, request) => {
    const answer = flagAnswer.answer(request.parameter(0), request.query());
    exchange.answer(answer.status, answer.headers, answer.body);
  });
  const project = evaluation.limit((exchange, request) => evaluateProject(exchange, request, parts.project));
  const sendFile = fileSender({
    ...parts.project,
    refuse: (exchange, detail) =>
      refuseEvaluation(exchange, { code: 'service-unavailable', detail }, docsUrl),
  });
  /**
   * A worker that answers can evaluate. While no worker serves, the front end answers that the service is not
   * available.
   */
  const health: Handle = (exchange) => exchange.answer(200, evaluationHeaders, healthy);
  const handled =
    (api: Api): Handle =>
    (exchange, request) =>
      parts.pipeline.handle(api, exchange, request);
  const placed = parts.webApp === null ? null : placeWebApp(parts.webApp, basePath);
  const webApp: Handle = (exchange, request) => readWebApp(exchange, request, placed, sendFile);
  const docs: Handle = (exchange, request) => {
    if (!readDocs(exchange, request, parts.docs, sendFile)) answerNothing(exchange, docsUrl);
  };
  const ofrep = evaluation.limit(
    (exchange, request) => parts.ofrep.evaluate(exchange, request),
    limitedOfrep,
  );
  const follow = evaluation.limit((exchange, request) => {
    if (isOfrepPath(request.path())) parts.ofrep.follow(exchange, request);
    else answerNothing(exchange, docsUrl);
  }, limitedOfrep);
  const noOfrepRoute: Handle = (exchange, request) => {
    if (isOfrepPath(request.path())) parts.ofrep.answerNothing(exchange);
    else answerNothing(exchange, docsUrl);
  };
  const noEvaluationRoute: Handle = (exchange, request) =>
    answerNoEvaluationRoute(exchange, request, docsUrl);
  const apis = [
    ...(evaluation.isLimited ? routes('evaluate-flag', read, flagPattern, flag) : []),
    ...routes('evaluate-project', read, '/v1/flags/project/:projectId', project),
    ...routes('health', read, '/health', health),
    ...routes('evaluation-other', ['options'], '/v1', answerPreflight),
    ...routes('evaluation-other', ['options'], '/v1/*', answerPreflight),
    ...routes('evaluation-other', ['options'], '/health', answerPreflight),
    ...routes('evaluation-other', ['any'], '/v1', noEvaluationRoute),
    ...routes('evaluation-other', ['any'], '/v1/*', noEvaluationRoute),
    ...routes('evaluation-other', ['any'], '/health', noEvaluationRoute),
    ...ofrepBases.flatMap((base) => [
      ...routes('ofrep-other', ['post'], base, ofrep),
      ...routes('ofrep-other', ['get'], base, follow),
      ...routes('ofrep-other', ['options'], base, (exchange) => parts.ofrep.preflight(exchange)),
      ...routes('ofrep-other', ['any'], base, noOfrepRoute),
    ]),
    ...apisOf(parts).flatMap(({ api, base, countedAs }) => [
      ...routes(countedAs, ['any'], base, handled(api)),
      ...routes(countedAs, ['any'], `${base}/*`, handled(api)),
    ]),
  ];
  const toDocs = leadingTo(`${basePath}/docs`);
  const toConsole = leadingTo(`${basePath}/console/`);
  return [
    ...apis.map((route) => ({ ...route, exchange: parts.apiExchange })),
    ...routes('console-page', ['any'], '/console', webApp),
    ...routes('console-page', ['any'], '/console/*', webApp),
    ...routes('docs', read, '/docs', docs),
    ...routes('docs', read, '/docs/', (exchange) => exchange.answer(isPermanent, toDocs, '')),
    ...routes('docs', read, '/docs/*', docs),
    ...routes('console-page', read, '/', (exchange) => exchange.answer(302, toConsole, '')),
    ...routes('other', ['any'], '/*', (exchange) => answerNothing(exchange, docsUrl)),
  ];
}

const read = ['get', 'head'] as const;

/** @param name under which its answers are counted */
function routes(
  name: RouteName,
  methods: readonly HttpMethod[],
  pattern: string,
  handle: Handle,
): HttpRoute[] {
  return methods.map((method) => ({ method, pattern, countedAs: routeIndex(name), handle }));
}

function answerPreflight(exchange: Exchange): void {
  exchange.answer(204, evaluationPreflightHeaders, '');
}

function answerNoEvaluationRoute(exchange: Exchange, request: RequestView, docsUrl: string): void {
  const path = request.path();
  const isRaw = hasRawCharacter(path) || hasRawCharacter(request.query());
  const problem = isRaw
    ? rawCharacterProblem(path)
    : ({ code: 'not-found', detail: noEvaluationRouteDetail } as const);
  refuseEvaluation(exchange, problem, docsUrl);
}

/** The APIs of operations, and where they are. */
function apisOf({ management, console, sync }: Pick<RouteParts, 'management' | 'console' | 'sync'>) {
  return [
    { api: management, base: managementApiPath, countedAs: 'management-other' },
    { api: sync, base: syncPath, countedAs: 'sync-other' },
    { api: console, base: consoleApiPath, countedAs: 'console-other' },
  ] as const;
}

/** Refuses a request whose end is not certain, in the form of its API, and closes its connection. */
export function refuseAmbiguous(
  exchange: Exchange,
  request: RequestView,
  fault: string,
  parts: RouteParts,
): void {
  const path = request.path();
  const found = apisOf(parts).find(({ base }) => isBelow(path, base));
  if (found !== undefined) parts.pipeline.refuseAmbiguous(found.api, exchange, request, fault);
  else if (isOfrepPath(path)) refuseAmbiguousOfrep(exchange, request, fault);
  else {
    const body = errorEnvelope({ code: 'invalid-request', detail: fault }, parts.docsUrl);
    exchange.isLast = true;
    exchange.answer(400, evaluationHeaders, body);
  }
}

function answerNothing(exchange: Exchange, docsUrl: string): void {
  exchange.answer(404, plainJsonHeaders, errorEnvelope({ code: 'not-found', detail: nothingHere }, docsUrl));
}
