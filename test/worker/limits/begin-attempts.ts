import { createMetricMemory } from '../../../src/observability/metric-cells.ts';
import { AttemptLimiters, type AttemptMemory } from '../../../src/worker/limits/sign-in-attempts.ts';
import { RequestMeter } from '../../../src/worker/request-meter.ts';
import { requestMetrics } from '../../../src/worker/request-metrics-protocol.ts';
import { inThread } from '../../support/run-threads.ts';

export interface AttemptTask {
  readonly memory: AttemptMemory;
  /** Accounts and addresses, each tried in turn once by each thread. */
  readonly tries: readonly (readonly [account: string, limitKey: string])[];
}

/** The result: how many attempts of each were admitted. */
inThread(({ memory, tries }: AttemptTask): readonly number[] => {
  const limiters = new AttemptLimiters(memory, new RequestMeter(createMetricMemory(requestMetrics)));
  return tries.map(([account, limitKey]) => (limiters.begin(account, limitKey) === null ? 1 : 0));
});
