import { EventEmitter, once } from 'node:events';
import { bearer, type HttpClient } from '../support/http-client.ts';
import type { ProxiedService } from './proxied-service.ts';

export interface LoadResult {
  readonly reads: number;
  /** The answer of each failed read, or why there was none. */
  readonly failedReads: readonly string[];
  readonly changes: number;
  /** Changes with an answer 502 or 503, or a closed connection: each may have been made. */
  readonly failedChanges: number;
}

/** Clients of a proxy that read and change without pauses. */
export interface ProxiedLoad {
  count(): number;
  /** Resolves when so many requests have been answered. */
  answered(count: number): Promise<void>;
  end(): Promise<LoadResult>;
}

const readers = 4;
const changers = 4;

export function startLoad(service: ProxiedService): ProxiedLoad {
  const failedReads: string[] = [];
  const result = { reads: 0, failedReads, changes: 0, failedChanges: 0 };
  const events = new EventEmitter();
  let isOver = false;
  const read = async (client: HttpClient): Promise<void> => {
    while (!isOver) {
      const answer = await client.send({ path: `/v1/flags/${service.flag}` }).catch(String);
      result.reads += 1;
      if (typeof answer === 'string') failedReads.push(answer);
      else if (answer.status !== 200) failedReads.push(`${answer.status} ${answer.text}`);
      events.emit('answer');
    }
  };
  const change = async (client: HttpClient, number: number): Promise<void> => {
    const request = {
      method: 'PATCH',
      path: `/api/v1/flags/${service.flag}`,
      headers: bearer(service.secret),
    };
    for (let turn = 0; !isOver; turn += 1) {
      const body = JSON.stringify({ cohorts: [`client-${number}-${turn}`] });
      const answer = await client.send({ ...request, body }).catch(() => null);
      result.changes += 1;
      if (answer?.status !== 200) result.failedChanges += 1;
      events.emit('answer');
    }
  };
  const count = (): number => result.reads + result.changes;
  const running = [
    ...Array.from({ length: readers }, () => read(service.client())),
    ...Array.from({ length: changers }, (_, number) => change(service.client(), number)),
  ];
  return {
    count,
    answered: async (wanted) => {
      while (count() < wanted) await once(events, 'answer');
    },
    end: async () => {
      isOver = true;
      await Promise.all(running);
      return result;
    },
  };
}
