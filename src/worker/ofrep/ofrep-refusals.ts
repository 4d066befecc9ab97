import { ofrepFailure } from '../../contracts/ofrep/ofrep-answers.ts';
import type { UnreadBody } from '../../http/body-reader.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { RequestView } from '../../http/request-view.ts';
import {
  detachedHeaders,
  ofrepHeaders,
  ofrepLimitedHeaders,
  ofrepRetryHeaders,
} from '../../operations/answer-headers.ts';
import { tooManyEvaluations } from '../limits/evaluation-limit.ts';
import { readOfrepAddress } from './ofrep-address.ts';
import { bodyTooLarge, type OfrepRefusal, ofrepOverload, unreadBody } from './ofrep-problems.ts';

const overBudget = 'The memory for request bodies, or your quota of it, is used up. Retry in a moment.';
const stalled = 'The body stopped arriving. Send it whole, and faster.';
const scattered =
  'The body comes in too many chunks for its length. Send larger chunks, or a Content-Length.';

/** @returns why a request is refused whose body did not arrive whole */
export function unreadRefusal(why: UnreadBody): OfrepRefusal {
  if (why === 'too-large') return bodyTooLarge;
  if (why === 'over-budget') return ofrepOverload(overBudget);
  return unreadBody(why === 'stalled' ? stalled : scattered);
}

/** Answers a request above the limit of evaluations. */
export function limitedOfrep(exchange: Exchange, view: RequestView, retryAfterSeconds: number): void {
  const problem = { status: 429, code: 'GENERAL', details: tooManyEvaluations } as const;
  exchange.answer(429, ofrepLimitedHeaders(retryAfterSeconds), ofrepFailure(askedKeyOf(view), problem));
}

/** Refuses a request whose end is not certain, and closes its connection. */
export function refuseAmbiguousOfrep(exchange: Exchange, view: RequestView, fault: string): void {
  const problem = { status: 400, code: 'GENERAL', details: fault } as const;
  exchange.isLast = true;
  exchange.answer(400, ofrepHeaders, ofrepFailure(askedKeyOf(view), problem));
}

/** @returns the key of the flag that is asked for; null for all flags, or a path that OFREP does not have */
export function askedKeyOf(view: RequestView): string | null {
  const target = readOfrepAddress(view.path(), '')?.target;
  return target?.kind === 'flag' ? target.key : null;
}

/** Answers with a failure in the shape of OFREP. @param key of the flag that was asked for; null for all flags */
export function refuseOfrep(
  exchange: Exchange,
  key: string | null,
  refusal: OfrepRefusal,
  isAttached = true,
): void {
  const headers = refusal.isOverload === true ? ofrepRetryHeaders : ofrepHeaders;
  exchange.answer(
    refusal.status,
    isAttached ? headers : detachedHeaders(headers),
    ofrepFailure(key, refusal),
  );
}
