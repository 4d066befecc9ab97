import type { Static, TSchema } from 'typebox';
import type { consoleOperations } from '../../operations/console-operations.ts';
import { type ConsoleOperationId, consoleRoutes } from '../../operations/console-routes.ts';
import { addressOf, type ParamsOf, type QueryOf } from './address-of.ts';
import { isSomebodyThere } from './attendance.ts';
import { ConsoleError } from './console-error.ts';

type Operations = typeof consoleOperations;
type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : null;
export type BodyOf<Id extends ConsoleOperationId> = StaticOf<Operations[Id]['body']>;
export type AnswerOf<Id extends ConsoleOperationId> = StaticOf<Operations[Id]['answer']>;

export interface AskOptions<Id extends ConsoleOperationId> {
  readonly query?: QueryOf<Id>;
  readonly signal?: AbortSignal;
  /** Of a change: see `request-name.ts`. */
  readonly name?: string;
}

/**
 * Sends one request to the console's API.
 *
 * @param body null for operations that take none
 * @returns the answer's value; null for none
 * @throws {ConsoleError} for every refusal, and when no answer comes
 */
export async function ask<Id extends ConsoleOperationId>(
  id: Id,
  params: ParamsOf<Id>,
  body: BodyOf<Id>,
  { query, signal, name }: AskOptions<Id> = {},
): Promise<AnswerOf<Id>> {
  const headers: Record<string, string> = { 'X-Burgee-Console': '1' };
  if (body !== null) headers['Content-Type'] = 'application/json';
  if (name !== undefined) headers['X-Burgee-Request'] = name;
  const [method] = consoleRoutes[id].split(' ') as [string];
  if (method === 'GET' && !isSomebodyThere()) headers['X-Burgee-Background'] = '1';
  const response = await send(addressOf(id, params, query), {
    method,
    headers,
    credentials: 'same-origin',
    body: body === null ? null : JSON.stringify(body),
    signal: signal ?? null,
  });
  if (!response.ok) throw await refusalOf(response);
  return (await readValue(response)) as AnswerOf<Id>;
}

/** @param response any but a 2xx */
export async function refusalOf(response: Response): Promise<ConsoleError> {
  return refusal(response, await readValue(response));
}

/** Title of the error when no answer comes. */
export const unreachable = "Can't reach Burgee";

async function send(address: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (error) {
    throw noAnswer(error);
  }
}

function noAnswer(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  return new ConsoleError(0, unreachable, 'Check the connection, then try again.', null);
}

/** The connection may break after the head of an answer. */
async function bodyOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw noAnswer(error);
  }
}

async function readValue(response: Response): Promise<unknown> {
  const text = await bodyOf(response);
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function refusal(response: Response, value: unknown): ConsoleError {
  const requestId = response.headers.get('X-Request-Id');
  if (typeof value !== 'object' || value === null) {
    const detail = typeof value === 'string' ? value : 'The service gave no reason.';
    return new ConsoleError(response.status, response.statusText || 'Refused', detail, requestId);
  }
  const { error, detail, docs: _, ...extra } = value as Readonly<Record<string, unknown>>;
  return new ConsoleError(response.status, String(error), String(detail), requestId, extra);
}
