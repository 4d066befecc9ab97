import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { assert } from '../../support/assert.ts';
import {
  type ClientMessage,
  linkCells,
  unsettledMax,
  type WriterResult,
  type WriterResults,
} from '../client/writer-protocol.ts';
import type { CommandClient, QueuedCommand } from './decide-group.ts';

class Client implements CommandClient {
  readonly port: MessagePort;
  readonly cells: Int32Array<SharedArrayBuffer>;
  #newestTicket = 0;
  /** Commands without a result. */
  #unsettled = 0;

  constructor(port: MessagePort, memory: SharedArrayBuffer) {
    this.port = port;
    this.cells = new Int32Array(memory);
    assert(this.cells.length === linkCells, 'a client has the cells of its link');
  }

  take({ commands }: ClientMessage): readonly QueuedCommand[] {
    for (const { ticket } of commands) {
      assert(((ticket - this.#newestTicket) | 0) > 0, "a client's tickets rise");
      this.#newestTicket = ticket;
    }
    this.#unsettled += commands.length;
    assert(this.#unsettled <= unsettledMax, 'a client bounds its commands');
    return commands.map((command) => ({ command, client: this }));
  }

  send(results: WriterResults): void {
    this.#unsettled -= results.length;
    this.port.postMessage(results);
  }
}

/** The ports of the writer's clients. */
export class WriterClients {
  readonly #clients = new Set<Client>();
  readonly #submit: (commands: readonly QueuedCommand[]) => void;

  constructor(submit: (commands: readonly QueuedCommand[]) => void) {
    this.#submit = submit;
  }

  connect(port: MessagePort, memory: SharedArrayBuffer): void {
    const client = new Client(port, memory);
    this.#clients.add(client);
    port.on('message', (message: ClientMessage) => this.#receive([[client, message]]));
    // Its queued commands are still decided.
    port.on('close', () => this.#clients.delete(client));
  }

  /**
   * Takes everything that has arrived, in the order in which it was sent; Node reads the ports in no particular order. A
   * worker that ends cuts its connections after it has sent its commands. When an HTTP client then repeats a change through
   * another worker, the first change must be decided before it.
   */
  #receive(messages: (readonly [Client, ClientMessage])[]): void {
    // A port that was empty may have got a message while another one was read.
    for (let before = -1; before < messages.length; ) {
      before = messages.length;
      for (const client of this.#clients) {
        for (let next = receiveMessageOnPort(client.port); next !== undefined; ) {
          messages.push([client, next.message as ClientMessage]);
          next = receiveMessageOnPort(client.port);
        }
      }
    }
    messages.sort(([, { stamp: one }], [, { stamp: other }]) => (one - other) | 0);
    for (const [client, message] of messages) this.#submit(client.take(message));
  }

  /** Takes the commands that were sent before the request to stop. */
  receiveRest(): void {
    this.#receive([]);
  }

  close(): void {
    for (const { port } of this.#clients) port.close();
  }
}

/** Sends each client the results of its commands in one message. */
export function sendResults(results: readonly (readonly [QueuedCommand, WriterResult])[]): void {
  const byClient = new Map<CommandClient, (readonly [number, WriterResult])[]>();
  for (const [{ client, command }, result] of results) {
    const own = byClient.get(client) ?? [];
    own.push([command.ticket, result]);
    byClient.set(client, own);
  }
  for (const [client, own] of byClient) client.send(own);
}
