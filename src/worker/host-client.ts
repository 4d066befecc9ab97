import type { MessagePort } from 'node:worker_threads';
import type { AttemptsPort } from '../operations/cluster/attempts-port.ts';
import type { NodesPort } from '../operations/cluster/nodes-port.ts';
import type { PasswordPort } from '../operations/conversation.ts';
import type { OpenIdPort } from '../operations/sessions/open-id/open-id-protocol.ts';
import type { SyncStreamsPort } from '../operations/sync/sync-streams-port.ts';
import type { WatchPort } from '../operations/watching/watch-places.ts';
import { assert } from '../support/assert.ts';
import { MessageBatch } from '../support/message-batch.ts';
import type { ReportUsage } from './usage-reports.ts';
import type {
  HostCall,
  HostCallName,
  HostCalls,
  HostMessage,
  HostResult,
  WorkerMessage,
} from './worker-protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(fault: Error): void;
}

/** Messages of the main thread that are not results of calls. */
export type HostOrder = Exclude<HostMessage, { kind: 'results' }>;

/** A worker's client of the main thread: calls for what the process has once for all workers. */
export class HostClient {
  readonly passwords: PasswordPort = {
    check: (caller, hashes, password) => this.ask('checkPassword', [caller, hashes, password]),
    hash: (caller, password) => this.ask('hashPassword', [caller, password]),
  };
  readonly openId: OpenIdPort = {
    begin: (proof, requestId) => this.ask('beginOpenId', [proof, requestId]),
    receive: (rawQuery, proof, limitKey, requestId) =>
      this.ask('receiveOpenId', [rawQuery, proof, limitKey, requestId]),
  };
  readonly nodes: NodesPort = { list: () => this.ask('listNodes', []) };
  readonly attempts: AttemptsPort = {
    count: (keys, windowMs) => this.ask('countAttempts', [keys, windowMs]),
    giveBack: (keys) => this.ask('giveBackAttempts', [keys]),
  };
  readonly syncStreams: SyncStreamsPort = { list: (projectId) => this.ask('listSyncStreams', [projectId]) };
  /** Has a report of usage counted, once. */
  readonly reportUsage: ReportUsage = (...report) => this.ask('reportUsage', report);
  readonly watchPlaces: WatchPort = {
    join: (viewer) => this.ask('joinWatchers', [viewer]),
    leave: (place) => this.tell({ kind: 'left-watchers', place }),
  };
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Waiting>();
  readonly #calls: MessageBatch<HostCall>;
  #nextId = 1;

  constructor(port: MessagePort, onOrder: (order: HostOrder) => void) {
    this.#port = port;
    this.#calls = new MessageBatch((calls) => this.tell({ kind: 'calls', calls }));
    port.on('message', (message: HostMessage) => {
      if (message.kind !== 'results') onOrder(message);
      else for (const result of message.results) this.#settle(result);
    });
  }

  /** Calls the main thread. It always answers, because its own calls have deadlines. */
  ask<Name extends HostCallName>(
    name: Name,
    args: HostCalls[Name]['args'],
  ): Promise<HostCalls[Name]['result']> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      // The main thread answers a call with the result that belongs to its name: see `HostCalls`.
      const settle = (value: unknown): void => resolve(value as HostCalls[Name]['result']);
      this.#waiting.set(id, { resolve: settle, reject });
      this.#calls.add({ id, name, args } as HostCall);
    });
  }

  #settle(result: HostResult): void {
    const waiting = this.#waiting.get(result.id);
    assert(waiting !== undefined, 'a result belongs to a call that waits for it');
    this.#waiting.delete(result.id);
    if (result.ok) waiting.resolve(result.value);
    else waiting.reject(new Error(result.message));
  }

  /** Sends a message that needs no answer. */
  tell(message: WorkerMessage): void {
    this.#port.postMessage(message);
  }

  /** Sends the calls of this pass of the event loop now. */
  flush(): void {
    this.#calls.flush();
  }

  close(): void {
    this.#port.close();
  }
}
