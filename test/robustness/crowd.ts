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
