import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import { AttemptLimiters, type AttemptMemory } from '../../../src/worker/limits/attempt-limiters.ts';
import { RequestMeter } from '../../../src/worker/request-meter.ts';
import { requestMetrics } from '../../../src/worker/request-metrics-protocol.ts';
import { inThread } from '../../support/run-threads.ts';

export interface AttemptTask {
  readonly memory: AttemptMemory;
  /** Tried in turn, each once by each thread. */
  readonly accounts: readonly string[];
  /** Each thread has an address of its own. */
  readonly isFromEachAddress: boolean;
}

/** The result: how many attempts of each account were let through. */
inThread(({ memory, accounts, isFromEachAddress }: AttemptTask, thread: number): readonly number[] => {
  const limiters = new AttemptLimiters(memory, new RequestMeter(createMetricMemory(requestMetrics)));
  const limitKey = isFromEachAddress ? `192.0.2.${thread}` : '192.0.2.1';
  return accounts.map((account, index) =>
    limiters.begin(account, isFromEachAddress ? `${limitKey}.${index}` : limitKey) === null ? 1 : 0,
  );
});
