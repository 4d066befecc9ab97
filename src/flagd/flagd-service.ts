import type { Duplex } from 'node:stream';
import { Server, type ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import type { FlagdCall } from './flagd-stream.ts';
import { decodeFlagsRequest, type EncodedMessage, noMetadata } from './sync-messages.ts';

const servicePath = '/flagd.sync.v1.FlagSyncService';
/** A request is a selector; metadata is bounded by Node. */
export const requestBytesMax = 64 * 1024;
/** Calls under way of one connection: a provider has one or two. */
export const callsOfConnectionMax = 16;
/** A client that is silent is asked so often whether it is still there, */
export const pingEveryMs = 20_000;
/** and has so long to answer. */
export const pingAnswerMs = 10_000;

const asIs = (message: EncodedMessage): EncodedMessage => message;
const common = {
  requestStream: false,
  requestSerialize: () => Buffer.alloc(0),
  requestDeserialize: decodeFlagsRequest,
  responseSerialize: asIs,
  responseDeserialize: (bytes: Buffer): EncodedMessage => bytes,
} as const;

/** `FetchAllFlags` is a stream of one message here, which is the same on the wire: so both are sent within one bound. */
const definition = {
  syncFlags: { ...common, path: `${servicePath}/SyncFlags`, responseStream: true },
  fetchAllFlags: { ...common, path: `${servicePath}/FetchAllFlags`, responseStream: true },
  getMetadata: { ...common, path: `${servicePath}/GetMetadata`, responseStream: false },
} satisfies ServiceDefinition;

type Unary = (call: unknown, answer: (fault: null, message: EncodedMessage) => void) => void;

/** gRPC as flagd's providers speak it, on connections that it is given. */
export class FlagdService {
  readonly #server: Server;
  readonly #injector: { injectConnection(connection: Duplex): void };

  constructor(credentials: ServerCredentials, open: (call: FlagdCall, isOnce: boolean) => void) {
    this.#server = new Server({
      'grpc.enable_channelz': 0,
      'grpc.max_receive_message_length': requestBytesMax,
      'grpc.max_concurrent_streams': callsOfConnectionMax,
      'grpc.keepalive_time_ms': pingEveryMs,
      'grpc.keepalive_timeout_ms': pingAnswerMs,
    });
    // Some providers ask for it first, without their credentials.
    const getMetadata: Unary = (_call, answer) => answer(null, noMetadata);
    this.#server.addService(definition, {
      syncFlags: (call: FlagdCall) => open(call, false),
      fetchAllFlags: (call: FlagdCall) => open(call, true),
      getMetadata,
    });
    this.#injector = this.#server.createConnectionInjector(credentials);
  }

  take(connection: Duplex): void {
    this.#injector.injectConnection(connection);
  }

  close(): void {
    this.#server.forceShutdown();
  }
}
