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

interface CallOptions<Id extends ConsoleOperationId> {
  readonly query?: QueryOf<Id>;
  readonly signal?: AbortSignal;
}

/**
 * Calls the console's API.
 *
 * @param body null for operations that take none
 * @returns the answer's value; null for none
 * @throws {ConsoleError} for every refusal, and when no answer comes
 */
export async function call<Id extends ConsoleOperationId>(
  id: Id,
  params: ParamsOf<Id>,
  body: BodyOf<Id>,
  { query, signal }: CallOptions<Id> = {},
): Promise<AnswerOf<Id>> {
  const headers: Record<string, string> = { 'X-Burgee-Console': '1' };
  if (body !== null) headers['Content-Type'] = 'application/json';
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
const unreachable = "Can't reach Burgee";

async function send(address: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    const detail = request.method === 'GET' ? 'Check the connection, then try again.' : 'Nothing was saved.';
    throw new ConsoleError(0, unreachable, detail, null);
  }
}

async function readValue(response: Response): Promise<unknown> {
  const text = await response.text();
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
