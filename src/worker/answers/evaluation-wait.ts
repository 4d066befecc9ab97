import type { Exchange } from '../../http/exchange.ts';
import type { ReadyAnswer } from '../../http/ready-answer.ts';
import type { RequestView } from '../../http/request-view.ts';
import { monotonicMs } from '../../support/monotonic-clock.ts';
import type { EvaluationMeter } from '../evaluation/evaluation-meter.ts';
import type { WaitEnd } from '../evaluation/evaluation-metrics-protocol.ts';
import type { Waiter } from '../evaluation/flag-loads.ts';
import type { FlagSource } from '../evaluation/flag-source.ts';
import { refuseEvaluation } from './evaluation-refusal.ts';
import type { FlagAnswer } from './flag-evaluation.ts';

export interface AwaitFlagParts {
  readonly source: FlagSource;
  readonly flagAnswer: FlagAnswer;
  readonly meter: EvaluationMeter;
  /** Counts the waiting evaluations of all workers. */
  readonly waiting: { takeAlways(amount: number): void; give(amount: number): void };
  readonly deadlineMs: number;
  readonly docsUrl: string;
  /** What limits count the request by. Valid only while the request is handled. */
  addressOf(exchange: Exchange, request: RequestView): string;
  onFault(fault: unknown, during: string): void;
}

const tooMany = 'Too many evaluations of flags with long lists wait at once. Retry in a moment.';
const tooLate = 'The flag, which has long lists, could not be read in time. Retry in a moment.';

/** Lets a request wait whose flag is too long to be read at once, and answers it when the flag has been read. */
export function awaitFlag(exchange: Exchange, request: RequestView, parts: AwaitFlagParts): void {
  const { flagAnswer, docsUrl } = parts;
  const segment = request.parameter(0);
  const query = request.query();
  waitForFlag(exchange, parts, {
    asker: parts.addressOf(exchange, request),
    retry: () => tryAgain(flagAnswer, segment, query, parts),
    refuse: (detail) => refuseEvaluation(exchange, { code: 'service-unavailable', detail }, docsUrl),
  });
}

/** An evaluation that has to wait. */
interface WaitingEvaluation {
  /** What limits count it by. */
  readonly asker: string;
  /** Tries again. Must not throw. @returns the answer; null: it has to wait further */
  retry(): ReadyAnswer | null;
  refuse(detail: string): void;
}

/** Lets an evaluation wait until `source.cold` was read. */
export function waitForFlag(
  exchange: Exchange,
  { source, meter, waiting, deadlineMs }: Pick<AwaitFlagParts, 'source' | 'meter' | 'waiting' | 'deadlineMs'>,
  { asker, retry, refuse }: WaitingEvaluation,
): void {
  const { flagId } = source.cold;
  let isWaiting = true;
  const end = (how: WaitEnd): void => {
    if (!isWaiting) return;
    isWaiting = false;
    waiting.give(1);
    meter.countWait(how);
  };
  const waiter: Waiter = {
    asker,
    deadlineMs: monotonicMs() + deadlineMs,
    retry: () => {
      const answer = retry();
      if (answer === null) {
        if (source.cold.flagId === flagId) return false;
        // A name of OFREP means another flag now: the load for which this request waits cannot answer it.
        end('refused');
        refuse(tooMany);
        return true;
      }
      // Counted first: who reads the metrics after the answer finds it.
      end('answered');
      exchange.answer(answer.status, answer.headers, answer.body);
      return true;
    },
    expire: () => {
      end('late');
      refuse(tooLate);
    },
  };
  if (!source.loads.add(source.cold, waiter)) {
    meter.countWait('refused');
    refuse(tooMany);
    return;
  }
  waiting.takeAlways(1);
  exchange.onAborted(() => {
    source.loads.leave(waiter);
    end('left');
  });
}

function tryAgain(
  flagAnswer: FlagAnswer,
  segment: string,
  query: string,
  { onFault }: AwaitFlagParts,
): FlagAnswer | null {
  try {
    return flagAnswer.answer(segment, query);
  } catch (fault) {
    onFault(fault, 'evaluate-flag');
    return flagAnswer.fail();
  }
}
