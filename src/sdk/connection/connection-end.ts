import type { IncomingMessage } from 'node:http';
import { messageOf } from '../../support/message-of.ts';
import { UnusableConfiguration } from '../configuration/sync-shapes.ts';
import { mediaTypeOf, readText, retryAfterOf } from './request.ts';

/** An address in messages. */
type ShownAddress = { readonly shown: string };

/** Why a connection ended, or could not be opened. */
export interface ConnectionEnd {
  /**
   * - `lost`: the client retries soon. `silent`: the same, and no byte came: perhaps a proxy buffers the stream.
   * - `refused`: the token or the address is wrong; a person must fix it.
   * - `unusable`: the received configuration could not be applied; the client requests all of it again.
   */
  readonly kind: 'lost' | 'silent' | 'refused' | 'unusable';
  /** A sentence. */
  readonly why: string;
  /** The wait that the service asked for, in milliseconds. */
  readonly waitMs: number | null;
  /** Whether a retry within minutes is useless: a token does not become valid by itself. */
  readonly isLasting: boolean;
}

/** An ended connection as an exception. */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded';
  readonly end: ConnectionEnd;

  constructor(end: Pick<ConnectionEnd, 'kind' | 'why'> & Partial<ConnectionEnd>) {
    super(end.why);
    this.end = { waitMs: null, isLasting: false, ...end };
  }
}

/** @throws ConnectionEnded unless it is a 200 of that type */
export async function expectAnswer(
  answer: IncomingMessage,
  type: string,
  { shown }: ShownAddress,
): Promise<void> {
  const { statusCode: status = 0 } = answer;
  if (status === 200 && mediaTypeOf(answer) === type) return;
  const waitMs = retryAfterOf(answer);
  const said = status === 200 ? null : await readDetail(answer);
  const detail = said === null ? '' : ` It says: ${said}`;
  const refused = refusals[status];
  if (refused !== undefined) {
    throw new ConnectionEnded({
      kind: 'refused',
      why: `Burgee at ${shown} answered ${status}: ${refused}${detail}`,
      waitMs,
      isLasting: status === 401 || status === 403,
    });
  }
  if (status >= 300 && status < 400) {
    const why = `${shown} answered ${status}, a redirect to ${answer.headers.location}: give the client the url that it leads to.`;
    throw new ConnectionEnded({ kind: 'refused', why });
  }
  const found =
    status === 200
      ? `${mediaTypeOf(answer) || 'no type'} where ${type} was expected: is it Burgee that answers there?`
      : `with status ${status}.`;
  throw new ConnectionEnded({ kind: 'lost', why: `${shown} answered ${found}${detail}`, waitMs });
}

const refusals: Readonly<Record<number, string>> = {
  400: 'project and environment do not fit. A project with environments needs one, and any other needs none.',
  401: 'the token is not valid. Give the client an active token of the project.',
  403: 'the token may not read this environment. Give the client a token of this project and environment.',
  404: 'there is no such project or environment there. Look at url, project and environment.',
};

/** An error of the service is a few hundred bytes. */
const errorBytesMax = 16 * 1024;
const detailCharactersMax = 500;
/** How long to wait for the text of an error. */
const detailMs = 1000;

/** @returns the error's detail on one line; null if none arrives in time, or another program answers */
async function readDetail(answer: IncomingMessage): Promise<string | null> {
  if (mediaTypeOf(answer) !== 'application/json') return null;
  const timer = setTimeout(() => answer.destroy(), detailMs).unref();
  try {
    const body: unknown = JSON.parse(await readText(answer, errorBytesMax));
    const detail: unknown =
      typeof body === 'object' && body !== null && 'detail' in body ? body.detail : null;
    if (typeof detail !== 'string' || detail === '') return null;
    return detail.slice(0, detailCharactersMax).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** @param fault anything that was thrown while a connection was made or read */
export function endOf(fault: unknown, { shown }: ShownAddress): ConnectionEnd {
  if (fault instanceof ConnectionEnded) return fault.end;
  const message = messageOf(fault);
  const isUnusable = fault instanceof UnusableConfiguration;
  return {
    kind: isUnusable ? 'unusable' : 'lost',
    why: isUnusable
      ? `What ${shown} sent cannot be applied: ${message}.`
      : `Burgee at ${shown} cannot be reached: ${message}.`,
    waitMs: null,
    isLasting: false,
  };
}
