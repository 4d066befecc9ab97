import type { Outcome, RefusedWith } from '../outcome.ts';
import type { Problem, ProblemCode } from '../problem.ts';
import type { ProblemList } from '../problem-list.ts';
import type { DenialReason } from '../token/denial.ts';
import type { Token } from '../token/token.ts';

/** The problem of a refused request of the Management API, and its consequences. */
export interface Refusal extends Problem {
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
export type Step<T> = Outcome<T, Refusal>;

type Refused = RefusedWith<Refusal>;

/** No token was recognised: 401, and a failed authentication. */
export function refuseStranger(code: ProblemCode, detail: string): Refused {
  return {
    ok: false,
    problem: {
      code,
      detail,
      isFailedAuthentication: true,
      denialReason: null,
      environment: null,
      tokenId: null,
    },
  };
}

/** The request of a known token is not possible: not a denial. */
export function refuseRequest(token: Token, code: ProblemCode, detail: string): Refused {
  return refused(token, { code, detail }, null, null);
}

/** The service has no room for the request of a known token. @param retryAfter seconds until there is some */
export function refuseForNow(token: Token, detail: string, retryAfter: number): Refused {
  const { problem } = refuseRequest(token, 'service-unavailable', detail);
  return { ok: false, problem: { ...problem, retryAfter } };
}

/** A known token may not do what it requested: the denial is recorded, and mailed. */
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
  { code, detail }: Problem,
  denialReason: DenialReason | null,
  environment: string | null,
): Refused {
  const tokenId = token.id;
  return {
    ok: false,
    problem: { code, detail, isFailedAuthentication: false, denialReason, environment, tokenId },
  };
}
