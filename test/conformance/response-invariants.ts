import type { ClientResponse } from '../support/http-client.ts';
import type { CaseRequest } from './conformance-case.ts';

export interface InvariantContext {
  readonly request: CaseRequest;
  readonly path: string;
  readonly response: ClientResponse;
  /** Whether this is the answer of the per-address rate limit, which has no envelope. */
  readonly isPlain: boolean;
  readonly docsUrl: string;
}

/**
 * Checks what must hold of every answer to any request. Runs after each request of each case.
 * @returns the violations
 */
export function brokenInvariants(context: InvariantContext): string[] {
  const isManagement = /^\/api\/v1(\/|\?|$)/.test(context.path);
  const isEvaluation = /^\/(v1(\/|\?|$)|health(\?|$))/.test(context.path);
  const problems = [];
  if (context.response.status === 500) problems.push('no answer is a 500');
  if (context.response.status === 405) problems.push('there is no 405');
  if (isManagement || isEvaluation) problems.push(...brokenOnApi(context), ...brokenRetry(context.response));
  if (isManagement) problems.push(...brokenOnManagement(context));
  if (isEvaluation && context.request.method !== 'OPTIONS') problems.push(...brokenCaching(context.response));
  return problems;
}

function brokenOnApi({ request, response, isPlain, docsUrl }: InvariantContext): string[] {
  const problems = [];
  if (response.headers.get('access-control-allow-origin') !== '*') {
    problems.push('CORS headers are on every answer: Access-Control-Allow-Origin: *');
  }
  if (response.headers.get('keep-alive') !== 'timeout=5')
    problems.push('an answer says how long to keep its connection');
  if (response.headers.has('access-control-allow-credentials')) problems.push('CORS is without credentials');
  if (request.method === 'HEAD' || [204, 304].includes(response.status)) {
    if (response.body.length > 0) problems.push('no body here');
  } else if (isPlain) {
    if (!/^text\/plain/.test(response.headers.get('content-type') ?? '')) problems.push('plain text');
  } else {
    if (!/^application\/json/.test(response.headers.get('content-type') ?? '')) problems.push('JSON out');
    if (response.status >= 400) problems.push(...brokenEnvelope(response, docsUrl));
  }
  return problems;
}

/** Management API errors use the envelope `{error, detail, docs}`; the Evaluation API's use the same. */
function brokenEnvelope(response: ClientResponse, docsUrl: string): string[] {
  let body: unknown;
  try {
    body = JSON.parse(response.text);
  } catch {
    return ['an error body is JSON'];
  }
  if (body === null || typeof body !== 'object') return ['an error body is an object'];
  const values = new Map(Object.entries(body));
  const problems = [];
  if ([...values.keys()].sort().join() !== 'detail,docs,error') problems.push('{error, detail, docs}');
  for (const [key, value] of values) {
    if (typeof value !== 'string' || value === '') problems.push(`${key} is text`);
  }
  const docs = String(values.get('docs'));
  if (!docs.startsWith(`${docsUrl}#`) || docs.length <= docsUrl.length + 1) {
    problems.push('docs is {docs_url}#<section>');
  }
  if (/\n\s+at |node_modules|\.[jt]s:\d/.test(response.text)) problems.push('no stack or path leaks');
  return problems;
}

function brokenOnManagement({ request, response, isPlain }: InvariantContext): string[] {
  const problems = [];
  if (!response.headers.get('x-request-id')) {
    problems.push('every answer under /api/v1 carries X-Request-Id');
  }
  const isAuthenticated =
    request.method !== 'OPTIONS' && !isPlain && ![401, 429, 503].includes(response.status);
  if (isAuthenticated) problems.push(...brokenCaching(response));
  return problems;
}

function brokenRetry({ headers, status }: ClientResponse): string[] {
  const seconds = headers.get('retry-after') ?? '';
  const isTemporary = status === 429 || status === 503;
  return isTemporary && !/^[1-9]\d*$/.test(seconds) ? ['Retry-After is on every 429 and 503'] : [];
}

function brokenCaching(response: ClientResponse): string[] {
  return response.headers.get('cache-control') === 'no-store' ? [] : ['Cache-Control: no-store'];
}
