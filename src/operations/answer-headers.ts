import type { Coding } from '../http/content-coding.ts';
import { extendHeaderBlock, type HeaderBlock, headerBlock } from '../http/header-block.ts';

/** Seconds after which a client may retry after an overload. */
const retryAfterSeconds = 1;
const retryNow = ['Retry-After', String(retryAfterSeconds)] as const;
const json = ['Content-Type', 'application/json'] as const;
const anyOrigin = ['Access-Control-Allow-Origin', '*'] as const;
const noStore = ['Cache-Control', 'no-store'] as const;
const preflight = [
  ['Access-Control-Allow-Methods', 'GET, POST, PATCH, OPTIONS'],
  ['Access-Control-Allow-Headers', 'Content-Type, Authorization'],
  ['Access-Control-Max-Age', '86400'],
] as const;

/** Headers of every answer of the Evaluation API and of `/health`. */
export const evaluationHeaders = headerBlock([json, anyOrigin, noStore]);
export const evaluationRetryHeaders = headerBlock([json, anyOrigin, noStore, retryNow]);
export const evaluationPreflightHeaders = headerBlock([anyOrigin, ...preflight]);
const ofrepExposed = ['Access-Control-Expose-Headers', 'ETag, Retry-After'] as const;
/** Headers of every answer of OFREP, which any page may read. */
export const ofrepHeaders = headerBlock([json, anyOrigin, noStore, ofrepExposed]);
export const ofrepRetryHeaders = headerBlock([json, anyOrigin, noStore, ofrepExposed, retryNow]);
export const ofrepPreflightHeaders = headerBlock([
  anyOrigin,
  ['Access-Control-Allow-Methods', 'POST, GET, OPTIONS'],
  // Tracing in browsers adds headers of its own. A `*` does not cover Authorization.
  ['Access-Control-Allow-Headers', 'Content-Type, If-None-Match, Authorization, X-API-Key, *'],
  ['Access-Control-Max-Age', '86400'],
]);
/** A proxy that buffers answers would delay events. */
export const ofrepEventHeaders = headerBlock([
  ['Content-Type', 'text/event-stream'],
  anyOrigin,
  noStore,
  ['X-Accel-Buffering', 'no'],
]);
/** Headers of an answer outside both APIs. */
export const plainJsonHeaders = headerBlock([json, noStore]);

/** @returns the headers of an evaluation with this status: a 503 says when to try again. */
export function evaluationHeadersFor(status: number): HeaderBlock {
  return status === 503 ? evaluationRetryHeaders : evaluationHeaders;
}

/** Of the answer to a create: the id of the flag that has the name already. */
export const nameTakenBy = 'Burgee-Name-Taken-By';
const exposed = `X-Request-Id, Retry-After, ETag, ${nameTakenBy}`;
const managementLines = [anyOrigin, noStore, ['Access-Control-Expose-Headers', exposed]] as const;
const managementBlock = headerBlock(managementLines);
const managementJsonBlock = headerBlock([json, ...managementLines]);
const managementPreflightBlock = headerBlock([...managementLines, ...preflight]);
export const plainText = 'text/plain; charset=utf-8';
const managementTextBlock = headerBlock([['Content-Type', plainText], ...managementLines]);

/** Fields of some answers, in addition to status and body. */
export interface AnswerFields {
  /** Null when there is no body. */
  readonly contentType?: string | null;
  /** Seconds: until the window of a 429 ends, or until a retry of a 503 makes sense. */
  readonly retryAfter?: number | undefined;
  /** The tag of the one flag in the body; null when there is none. */
  readonly entityTag?: string | null;
  /** The flag that has the name of the flag in the body already; null: none. */
  readonly nameTakenBy?: string | null;
  readonly setCookies?: readonly string[] | undefined;
  /** The body is a file to be saved under this name: letters, digits, dots and hyphens. */
  readonly fileName?: string | undefined;
  /** How the body is compressed; null: it is not, and might be. Undefined: it never is. */
  readonly coding?: Coding | null | undefined;
  /** Target of a redirect. */
  readonly location?: string;
}

/** Headers of an answer under `/api/v1`. A 503 always says when to try again; a 429 says how long its window lasts. */
export function managementHeaders(
  requestId: string,
  status: number,
  { contentType, retryAfter, entityTag = null, nameTakenBy: takenBy = null }: AnswerFields = {},
): HeaderBlock {
  let block = extendHeaderBlock(managementBlockOf(status, contentType), 'X-Request-Id', requestId);
  const seconds = String(retryAfter ?? retryAfterSeconds);
  if (status === 503 || retryAfter !== undefined) block = extendHeaderBlock(block, 'Retry-After', seconds);
  if (entityTag !== null) block = extendHeaderBlock(block, 'ETag', entityTag);
  return takenBy === null ? block : extendHeaderBlock(block, nameTakenBy, takenBy);
}

/** A 204 answers a preflight. */
function managementBlockOf(status: number, contentType: AnswerFields['contentType']): HeaderBlock {
  if (status === 204) return managementPreflightBlock;
  if (contentType === plainText) return managementTextBlock;
  return status === 304 ? managementBlock : managementJsonBlock;
}

/** The answer above the request rate: plain text, no envelope (specification, limits). */
export const tooManyRequestsText = 'Too Many Requests\n';

/** Headers of an answer of sync: no page of another site may read it, because it contains cohorts. */
export function syncHeaders(
  requestId: string,
  status: number,
  { contentType = null, retryAfter, entityTag = null }: AnswerFields = {},
): HeaderBlock {
  const lines: (readonly [string, string])[] = [['X-Request-Id', requestId], noStore, ['Vary', 'Accept']];
  if (contentType !== null) lines.push(['Content-Type', contentType]);
  // A proxy that buffers answers would delay events.
  if (contentType === 'text/event-stream') lines.push(['X-Accel-Buffering', 'no']);
  if (status === 503 || retryAfter !== undefined) {
    lines.push(['Retry-After', String(retryAfter ?? retryAfterSeconds)]);
  }
  if (entityTag !== null) lines.push(['ETag', entityTag]);
  return headerBlock(lines);
}

/** Headers of every answer under `/console/api`: it must not be cached, and no other site may read it. */
export function consoleHeaders(requestId: string, status: number, fields: AnswerFields = {}): HeaderBlock {
  const { contentType = null, retryAfter, setCookies = [], location, fileName, coding } = fields;
  const lines: (readonly [string, string])[] = [
    ['X-Request-Id', requestId],
    noStore,
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'no-referrer'],
  ];
  if (contentType !== null) lines.push(['Content-Type', contentType]);
  // A proxy that buffers answers would delay events.
  if (contentType === 'text/event-stream') lines.push(['X-Accel-Buffering', 'no']);
  if (coding !== undefined) lines.push(['Vary', 'Accept-Encoding']);
  if (coding != null) lines.push(['Content-Encoding', coding]);
  if (fileName !== undefined) lines.push(['Content-Disposition', `attachment; filename="${fileName}"`]);
  if (status === 503 || retryAfter !== undefined) {
    lines.push(['Retry-After', String(retryAfter ?? retryAfterSeconds)]);
  }
  if (location !== undefined) lines.push(['Location', location]);
  for (const cookie of setCookies) lines.push(['Set-Cookie', cookie]);
  return headerBlock(lines);
}

/** A node of a cluster adds this to each answer while it may lack changes that others have acknowledged. */
const detachedLine = ['Burgee-State', 'detached'] as const;
const detachedText = `\r\n${detachedLine.join(': ')}`;
/** By the block that each replaces. */
const detachedBlocks = new Map<HeaderBlock, HeaderBlock>();
for (const block of [
  evaluationHeaders,
  evaluationRetryHeaders,
  evaluationPreflightHeaders,
  ofrepHeaders,
  ofrepRetryHeaders,
  ofrepPreflightHeaders,
]) {
  detachedBlocks.set(block, extendHeaderBlock(block, ...detachedLine));
}

/**
 * @returns the block with `Burgee-State: detached`: for evaluations one that was made before. Where a page may read
 * headers, it may read this one. A block that has the line already stays as it is.
 */
export function detachedHeaders(block: HeaderBlock): HeaderBlock {
  const ready = detachedBlocks.get(block);
  if (ready !== undefined) return ready;
  if (block.value.includes(detachedText)) return block;
  const { name, value } = extendHeaderBlock(block, ...detachedLine);
  return { name, value: value.replace(exposed, `${exposed}, ${detachedLine[0]}`) };
}

/** The answer above the Evaluation API's own limit, if that is set. */
export function evaluationLimitedHeaders(retryAfter: number): HeaderBlock {
  return headerBlock([json, anyOrigin, noStore, ['Retry-After', String(retryAfter)]]);
}

/** The same for OFREP. */
export function ofrepLimitedHeaders(retryAfter: number): HeaderBlock {
  return extendHeaderBlock(ofrepHeaders, 'Retry-After', String(retryAfter));
}
