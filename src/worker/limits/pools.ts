import type { UnsentAnswers } from '../../http/answer-policy.ts';
import type { Logger } from '../../observability/logger.ts';
import { type MetricCells, put } from '../../observability/metric-cells.ts';
import type { TakeLongAnswer } from '../answers/long-answers.ts';
import { requestMetrics } from '../request-metrics-protocol.ts';
import type { WorkerSetup } from '../worker-protocol.ts';
import { addressFromBytes, type ClientAddresses } from './address-finder.ts';
import { addressClient, Pool, type PoolOptions } from './quota.ts';

/** Memory of the process for bytes that clients have not read; for long answers, for the data they are made from. */
const unsentBytesMax = 256 * 1024 * 1024;
/** A client may have one answer of the greatest length. */
const unsentBytesLeast = 8 * 1024 * 1024;
/** Long answers that are being made, or sent to slow clients. */
const longAnswersMax = 1024;
/** Snapshots that they hold: each keeps pages from being reused, and takes one of LMDB's reader slots. */
const pinnedSnapshotsMax = 128;
/** The longest body. */
const bodyBytesLeast = 1024 * 1024;

type Setup = Pick<
  WorkerSetup,
  'workers' | 'inFlightMax' | 'bufferedBodyBytesMax' | 'syncStreamsMax' | 'limits'
>;

/** The pools from which a worker's requests take what they use. */
export interface Pools {
  /** Requests that wait for their body, other reads or the writer. Each API has a pool of its own. */
  readonly managementRequests: Pool;
  readonly consoleRequests: Pool;
  readonly bodyBytes: Pool;
  readonly unsentBytes: Pool;
  readonly longAnswers: Pool;
  readonly snapshots: Pool;
  readonly streams: Pool;
}

/** @param cells of `requestMetrics`, which show what is in use */
export function createPools(setup: Setup, cells: MetricCells, log: Logger): Pools {
  const { workers, inFlightMax } = setup;
  const { metrics } = requestMetrics;
  const options = (metric: keyof typeof metrics, least = 1): PoolOptions => ({
    least,
    onChange: (used) => put(cells, metrics[metric], used),
    onAddressFull: (address) => warnOfProxy(setup.limits.proxyWarning, address, log),
  });
  return {
    managementRequests: new Pool(inFlightMax, workers, options('managementInFlight')),
    consoleRequests: new Pool(inFlightMax, workers, options('consoleInFlight')),
    bodyBytes: new Pool(setup.bufferedBodyBytesMax, workers, options('bodyBytes', bodyBytesLeast)),
    unsentBytes: new Pool(unsentBytesMax, workers, options('unsentBytes', unsentBytesLeast)),
    longAnswers: new Pool(longAnswersMax, workers, options('longAnswers')),
    snapshots: new Pool(pinnedSnapshotsMax, workers, options('pinnedSnapshots')),
    // The server of the streams counts them itself.
    streams: new Pool(setup.syncStreamsMax, workers, {
      onAddressFull: (address) => warnOfProxy(setup.limits.proxyWarning, address, log),
    }),
  };
}

/** Logs, once for the process, that all clients of an undeclared proxy count as one. */
function warnOfProxy(memory: SharedArrayBuffer, address: string, log: Logger): void {
  if (Atomics.exchange(new Int32Array(memory), 0, 1) !== 0) return;
  log.warn(
    { address },
    'an address has its whole quota, so more of its requests are refused; if it is a proxy of yours, declare it with --trusted-proxies',
  );
}

/** Bounds long answers, the memory kept for them, and the snapshots that they hold. */
export function longAnswerQuota({ longAnswers, unsentBytes, snapshots }: Pools): TakeLongAnswer {
  return (client, { bytes, isPinned }) => {
    const quotas = [longAnswers.quotaOf(client), unsentBytes.quotaOf(client), snapshots.quotaOf(client)];
    const needs = [1, bytes, isPinned ? 1 : 0];
    const give = (): void => {
      for (const quota of quotas) quota.end();
    };
    if (quotas.every((quota, index) => quota.take(needs[index] as number))) return give;
    give();
    return null;
  };
}

/** Bounds the unsent bytes of answers that are sent whole. They count for the peer of the connection. */
export function unsentAnswers(unsentBytes: Pool, addresses: ClientAddresses): UnsentAnswers {
  return {
    take: (bytes, peer) => {
      const isProxy = addresses.isTrustedPeer(peer);
      const quota = unsentBytes.quotaOf(isProxy ? null : addressClient(addressFromBytes(peer).limitKey));
      return quota.take(bytes) ? () => quota.end() : null;
    },
  };
}
