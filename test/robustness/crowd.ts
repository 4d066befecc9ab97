import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Lifetime } from '../support/lifetime.ts';

export interface CrowdWorkerData {
  readonly port: number;
  readonly localAddress: string;
}

export type CrowdOrder =
  | {
      readonly kind: 'begin';
      readonly clients: number;
      readonly requests: readonly string[];
      readonly isReading: boolean;
    }
  | { readonly kind: 'end' };

/** Clients in a thread of their own that send requests without a pause. */
export interface Crowd {
  /** @param requests encoded for the wire; each client sends all of them in turn */
  begin(clients: number, requests: readonly string[], isReading?: boolean): void;
  /** @returns the number of answers by status */
  end(): Promise<Readonly<Record<string, number>>>;
}

/** @param localAddress any of 127.0.0.0/8 */
export function openCrowd(t: Lifetime, port: number, localAddress = '127.0.0.1'): Crowd {
  const workerData: CrowdWorkerData = { port, localAddress };
  const worker = new Worker(new URL('./crowd-worker.js', import.meta.url), { workerData });
  t.teardown(() => worker.terminate());
  const tell = (order: CrowdOrder): void => worker.postMessage(order);
  return {
    begin: (clients, requests, isReading = true) => tell({ kind: 'begin', clients, requests, isReading }),
    end: async () => {
      const told = once(worker, 'message');
      tell({ kind: 'end' });
      const [statuses] = (await told) as [Record<string, number>];
      return statuses;
    },
  };
}

/** The durations of one tenant's requests, in ms. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  /** Durations of an idle process, which gets requests in turn: its delays are the machine's. */
  readonly controlP99: number;
  /** The number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/**
 * Sends requests to the service and to the control in turn for a time.
 *
 * @param ask resolves to the status of the answer
 */
export async function measure(
  ms: number,
  ask: () => Promise<number>,
  askControl: () => Promise<unknown>,
): Promise<Latencies> {
  const times: number[] = [];
  const controlTimes: number[] = [];
  const statuses: Record<string, number> = {};
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const startedAt = performance.now();
    const status = await ask();
    const answeredAt = performance.now();
    await askControl();
    times.push(answeredAt - startedAt);
    controlTimes.push(performance.now() - answeredAt);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return { p50: at(times, 0.5), p99: at(times, 0.99), controlP99: at(controlTimes, 0.99), statuses };
}

function at(times: number[], share: number): number {
  times.sort((one, other) => one - other);
  return times[Math.floor(share * (times.length - 1))] ?? 0;
}

export function described({ p50, p99, controlP99, statuses }: Latencies): string {
  const figures = { p50, p99, 'p99 of the control': controlP99 };
  const shown = Object.entries(figures).map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`);
  return `${shown.join(', ')}, ${JSON.stringify(statuses)}`;
}
