import type { Static, TSchema } from 'typebox';
import type { consoleOperations } from '../../operations/console-operations.ts';
import { type ConsoleOperationId, consoleRoutes } from '../../operations/console-routes.ts';
import { addressOf, type ParamsOf, type QueryOf } from './address-of.ts';
import { isAttended } from './attendance.ts';
import { ConsoleError, isUndecided } from './console-error.ts';

type Operations = typeof consoleOperations;
type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : null;
export type BodyOf<Id extends ConsoleOperationId> = StaticOf<Operations[Id]['body']>;
export type AnswerOf<Id extends ConsoleOperationId> = StaticOf<Operations[Id]['answer']>;

/** Id of the member whom the page shows, from its first reading of the session; null before, and on the sign-in page. */
let shownMemberId: string | null = null;

export function showMember(id: string | null): void {
  shownMemberId = id;
}

/** Headers of every request: the service refuses one for a member who is no longer signed in here. */
export function ownHeaders(): Record<string, string> {
  return shownMemberId === null ? {} : { 'Burgee-Member': shownMemberId };
}

interface CallOptions<Id extends ConsoleOperationId> {
  readonly query?: QueryOf<Id>;
  readonly signal?: AbortSignal;
}

/** Changes that have no answer yet, by what was sent. */
const underWay = new Map<string, Promise<unknown>>();

/**
 * Calls the console's API. The same change is not sent again before it is answered: a form that is submitted twice gets
 * the one answer twice.
 *
 * @param body null for operations that take none
 * @returns the answer's value; null for none
 * @throws {ConsoleError} for every refusal, and when no answer comes. The error of a change without an answer says that
 * it may have been saved
 */
export function call<Id extends ConsoleOperationId>(
  id: Id,
  params: ParamsOf<Id>,
  body: BodyOf<Id>,
  options: CallOptions<Id> = {},
): Promise<AnswerOf<Id>> {
  if (consoleRoutes[id].startsWith('GET ')) return request(id, params, body, options);
  const key = JSON.stringify([id, params, body]);
  const present = underWay.get(key) as Promise<AnswerOf<Id>> | undefined;
  if (present !== undefined) return present;
  const asked = request(id, params, body, options).finally(() => underWay.delete(key));
  underWay.set(key, asked);
  return asked;
}

async function request<Id extends ConsoleOperationId>(
  id: Id,
  params: ParamsOf<Id>,
  body: BodyOf<Id>,
  { query, signal }: CallOptions<Id>,
): Promise<AnswerOf<Id>> {
  const [method] = consoleRoutes[id].split(' ') as [string];
  const headers: Record<string, string> = { ...ownHeaders(), 'X-Burgee-Console': '1' };
  if (body !== null) headers['Content-Type'] = 'application/json';
  if (method === 'GET' && !isAttended()) headers['X-Burgee-Background'] = '1';
  try {
    const response = await send(addressOf(id, params, query), {
      method,
      headers,
      credentials: 'same-origin',
      body: body === null ? null : JSON.stringify(body),
      signal: AbortSignal.any([...(signal ? [signal] : []), ...(method === 'GET' ? [] : [giveUp()])]),
    });
    if (!response.ok) throw await refusalOf(response);
    return (await readValue(response)) as AnswerOf<Id>;
  } catch (error) {
    throw method !== 'GET' && isUndecided(error) ? undecided(error) : error;
  }
}

/** Ends a change for which no answer came: a connection may stay silent for many minutes. */
function giveUp(): AbortSignal {
  return AbortSignal.timeout(60_000);
}

function undecided({ status, title }: ConsoleError): ConsoleError {
  const shown = status === 0 ? 'Burgee did not answer' : title;
  const detail = 'Your change may or may not have been saved. Check what is shown before you try again.';
  return new ConsoleError(status, shown, detail, null);
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    throw noAnswer(error);
  }
}

function noAnswer(error: unknown): unknown {
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  return new ConsoleError(0, "Can't reach Burgee", 'Check the connection, then try again.', null);
}

async function readValue(response: Response): Promise<unknown> {
  // The connection may break after the head of an answer.
  const text = await response.text().catch((error: unknown) => {
    throw noAnswer(error);
  });
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param response any but a 2xx. A proxy's has no error in Burgee's form, and no request id that its log has */
export async function refusalOf(response: Response): Promise<ConsoleError> {
  const { status, statusText, headers } = response;
  const value = await readValue(response);
  if (typeof value !== 'object' || value === null || !('error' in value)) {
    return new ConsoleError(status, statusText || 'Refused', `Status ${status}.`, null);
  }
  const { error, detail, docs: _, ...extra } = value as Readonly<Record<string, unknown>>;
  return new ConsoleError(status, String(error), String(detail), headers.get('X-Request-Id'), extra);
}
