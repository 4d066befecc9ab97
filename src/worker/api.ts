import type { RequestView } from '../http/request-view.ts';
import type { ApiRequest as AnyRequest, ApiFormat, RequestHead } from '../operations/api-request.ts';
import type { ApiCall } from '../operations/call.ts';
import type { Operation } from '../operations/dispatch.ts';
import type { MatchRoute } from '../operations/match-route.ts';
import type { ReadQueue } from '../operations/read-queue.ts';
import type { Reads } from '../operations/reads.ts';
import type { WriterPort } from '../writer/client/writer-client.ts';
import type { AnswerEncoders } from './answers/answer-encoder.ts';
import type { LongAnswers } from './answers/long-answers.ts';
import type { AddressLimiter } from './limits/address-limiter.ts';
import type { Pool } from './limits/quota.ts';
import type { RequestMeter } from './request-meter.ts';
import type { LimitName } from './request-metrics-protocol.ts';
import type { RouteName } from './route-names.ts';

/** A request in the pipeline. */
export type ApiRequest = AnyRequest<Operation>;

/** What all APIs of operations use to answer. */
export interface ApiServices {
  readonly reads: Reads;
  readonly readQueue: ReadQueue;
  readonly longAnswers: LongAnswers;
  readonly meter: RequestMeter;
  /** Whether this service can say what is current: a node that is cut off from its cluster cannot. */
  isAttached(): boolean;
  /** Counts a refusal whose record could not be stored, and logs the count. */
  countUnrecordedDenial(request: ApiRequest, outcome: string): void;
  /** Marks a session as seen, in the background: no answer waits for it. */
  touch(sessionId: string | null): void;
  onFault(fault: unknown, request: ApiRequest): void;
}

/** An API of operations, as data for the pipeline, which is the same for all. */
export interface Api extends ApiServices {
  readonly format: ApiFormat;
  readonly match: MatchRoute<Operation>;
  /** Requests in a minute; null: no limit. */
  readonly requestRate: RequestRate | null;
  /** Whether browsers may send a preflight request, for pages of other sites. */
  readonly hasPreflight: boolean;
  /** Null: credentials that fail are counted by the operations. */
  readonly failedAuthentications: FailedAuthentications | null;
  /** Requests that wait; null: they are not counted. */
  readonly requests: Pool | null;
  readonly writer: WriterPort;
  /** Null: answers are not compressed. */
  readonly encoders: AnswerEncoders | null;
  /** Copies the parts of a request that only this API reads. */
  copy(view: RequestView, operation: Operation | null): OwnParts;
  countedAs(operation: Operation | null, accept: string): RouteName;
  /** Runs the operation of a request that has passed all checks. The body is needed until the promise resolves. */
  run(request: ApiRequest): Promise<void> | undefined;
  /** Called when a request was answered; status 0: its client went away. */
  note(request: ApiRequest, status: number, durationMs: number): void;
}

interface RequestRate {
  readonly limiter: AddressLimiter;
  readonly countedAs: LimitName;
  /** Null: the answer is plain text. */
  readonly detail: string | null;
}

interface FailedAuthentications {
  readonly limiter: AddressLimiter;
  /** Above the limit, every request of the address gets 429; otherwise only requests that fail. */
  readonly areCheckedFirst: boolean;
}

/** The parts of a request that only one of the APIs reads. */
export type OwnParts = Pick<ApiCall, 'credential' | 'header' | 'userAgent'> &
  Pick<RequestHead, 'cookies' | 'accept' | 'coding' | 'isBackground' | 'isForeign'>;
