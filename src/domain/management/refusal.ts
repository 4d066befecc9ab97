import type { Problem, ProblemCode } from '../problem.ts';
import type { ProblemList } from '../problem-list.ts';
import type { DenialReason } from '../token/denial.ts';
import type { Token } from '../token/token.ts';

/** A refused request of the Management API, and what follows from the refusal. */
export interface Refusal {
  readonly problem: Problem;
  /** Counts toward the address' limit: a missing, malformed or unknown token. */
  readonly isFailedAuthentication: boolean;
  /** Why a real token was refused; null for any other refusal, which is not recorded. */
  readonly denialReason: DenialReason | null;
  /** The refused environment, if the query does not name it. */
  readonly environment: string | null;
  readonly tokenId: string | null;
  /** Seconds after which to retry, if they are known. */
  readonly retryAfter?: number;
}

/** One step in the order of checks: its result for the next steps, or a refusal. */
export type Step<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal };

type Refused = Extract<Step<never>, { ok: false }>;

export function proceed<T>(value: T): Step<T> {
  return { ok: true, value };
}

/** No token was recognised: 401, and a failed authentication. */
export function refuseStranger(code: ProblemCode, detail: string): Refused {
  const problem = { code, detail };
  const refusal = {
    problem,
    isFailedAuthentication: true,
    denialReason: null,
    environment: null,
    tokenId: null,
  };
  return { ok: false, refusal };
}

/** A known token asked for something that is not possible: not a denial. */
export function refuseRequest(token: Token, code: ProblemCode, detail: string): Refused {
  return refused(token, { code, detail }, null, null);
}

/** The service has no room for the request of a known token. @param retryAfter seconds until there is some */
export function refuseForNow(token: Token, detail: string, retryAfter: number): Refused {
  const { refusal } = refuseRequest(token, 'service-unavailable', detail);
  return { ok: false, refusal: { ...refusal, retryAfter } };
}

/** A known token asked for something that it may not do: recorded, and mailed. */
export function denyToken(
  token: Token,
  reason: DenialReason,
  detail: string,
  environment: string | null = null,
): Refused {
  return refused(token, { code: reason, detail }, reason, environment);
}

/** Every problem of the query and the body in one 400. */
export function refuseProblems(token: Token, problems: ProblemList): Refused {
  return refuseRequest(token, 'invalid-request', problems.detail());
}

function refused(
  token: Token,
  problem: Problem,
  denialReason: DenialReason | null,
  environment: string | null,
): Refused {
  const tokenId = token.id;
  return {
    ok: false,
    refusal: { problem, isFailedAuthentication: false, denialReason, environment, tokenId },
  };
}
