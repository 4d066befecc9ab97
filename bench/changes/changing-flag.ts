import { encodeRequests } from '../load/request-bytes.ts';
import type { BenchRequest } from '../load/request-list.ts';
import type { PlainAnswer } from './kept-connection.ts';

/** A flag to change: its id, a token with write permission, and the environment of a group flag. */
export interface ChangeableFlag {
  readonly id: string;
  readonly environment: string | null;
  readonly writeToken: string;
}

/** Used alternately. No fixture begins with the first value, so that the first patch changes something too. */
const percentages = [97, 98] as const;
const changed = Buffer.from('"changed":true');

/** A flag that is patched repeatedly, each time to a percentage that it does not have. */
export class ChangingFlag {
  readonly #requests: readonly Buffer[];
  #made = 0;

  constructor(origin: string, flag: ChangeableFlag) {
    this.#requests = percentages.map((percentage) =>
      patchRequest(origin, flag, { trafficPercentage: percentage }),
    );
  }

  /** @returns the next patch, encoded for the wire */
  next(): Buffer {
    const request = this.#requests[this.#made % this.#requests.length] as Buffer;
    this.#made += 1;
    return request;
  }
}

/** @returns a patch of a flag, encoded for the wire */
export function patchRequest(origin: string, flag: ChangeableFlag, patch: object): Buffer {
  const path = `/api/v1/flags/${flag.id}${environmentQuery(flag)}`;
  const request = { method: 'PATCH', path, status: 200, body: JSON.stringify(patch) } as const;
  return encodeOne(origin, request, { authorization: `Bearer ${flag.writeToken}` });
}

/** @returns a request that evaluates a flag, encoded for the wire */
export function evaluationRequest(origin: string, flag: ChangeableFlag): Buffer {
  return encodeOne(origin, { path: `/v1/flags/${flag.id}${environmentQuery(flag)}`, status: 200 });
}

function environmentQuery({ environment }: ChangeableFlag): string {
  return environment === null ? '' : `?env=${environment}`;
}

function encodeOne(origin: string, request: BenchRequest, headers: Record<string, string> = {}): Buffer {
  const [encoded] = encodeRequests({ origin, requests: [request], headers });
  if (encoded === undefined) throw new Error('a request was not encoded');
  return encoded;
}

/** @throws when a patch was refused, or changed nothing and so cost no commit */
export function requireChange(answer: PlainAnswer): void {
  requireAccepted(answer);
  if (!answer.body.includes(changed)) throw unexpected(answer);
}

/** @throws when a patch was refused */
export function requireAccepted(answer: PlainAnswer): void {
  if (answer.status !== 200) throw unexpected(answer);
}

function unexpected({ status, body }: PlainAnswer): Error {
  return new Error(`a patch was answered ${status}: ${body.toString('utf8').slice(0, 300)}`);
}
