import type { Duplex } from 'node:stream';
import {
  type Metadata,
  ResponderBuilder,
  Server,
  type ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import type { FlagdCall } from './flagd-outlet.ts';
import { decodeFlagsRequest, type EncodedMessage, noMetadata } from './sync-messages.ts';

const servicePath = '/flagd.sync.v1.FlagSyncService';
/** A request is a selector. */
export const requestBytesMax = 4 * 1024;
/** Metadata are a token, a selector, and what libraries add. */
export const metadataBytesMax = 8 * 1024;
/** A client whose request is not complete after this time is cut off. */
export const requestMsMax = 5000;
/** The most calls in progress on one connection: a provider has one or two. */
export const callsOfConnectionMax = 16;
/** Time between two pings of a silent client. */
export const pingEveryMs = 20_000;
/** Time to answer a ping. */
export const pingAnswerMs = 10_000;

const asIs = (message: EncodedMessage): EncodedMessage => message;
const common = {
  requestStream: false,
  requestSerialize: () => Buffer.alloc(0),
  requestDeserialize: decodeFlagsRequest,
  responseSerialize: asIs,
  responseDeserialize: (bytes: Buffer): EncodedMessage => bytes,
} as const;

/** `FetchAllFlags` is declared as a stream of one message, which is the same on the wire. So both calls share their code. */
const definition = {
  syncFlags: { ...common, path: `${servicePath}/SyncFlags`, responseStream: true },
  fetchAllFlags: { ...common, path: `${servicePath}/FetchAllFlags`, responseStream: true },
  getMetadata: { ...common, path: `${servicePath}/GetMetadata`, responseStream: false },
} satisfies ServiceDefinition;

type Unary = (call: unknown, answer: (fault: null, message: EncodedMessage) => void) => void;

/** A client needs no token to begin a call. This cuts off clients whose requests are too long or too slow. */
function boundedRequests(cut: (peer: string) => void): ServerInterceptor {
  return (_method, call) => {
    const late = setTimeout(() => cut(call.getPeer()), requestMsMax).unref();
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        if (bytesOf(metadata) > metadataBytesMax) cut(call.getPeer());
        else next(metadata);
      })
      .withOnReceiveHalfClose((next) => {
        clearTimeout(late);
        next();
      })
      .withOnCancel(() => clearTimeout(late))
      .build();
    const responder = new ResponderBuilder().withStart((next) => next(listener)).build();
    return new ServerInterceptingCall(call, responder);
  };
}

function bytesOf(metadata: Metadata): number {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toHttp2Headers())) {
    for (const value of [values].flat()) bytes += name.length + String(value).length;
  }
  return bytes;
}

interface FlagdServiceOptions {
  readonly credentials: ServerCredentials;
  readonly open: (call: FlagdCall, isOnce: boolean) => void;
  /** Cuts off the client with this address and port. */
  readonly cut: (peer: string) => void;
}

/** The gRPC service for flagd's providers, on connections that it is given. */
export class FlagdService {
  readonly #server: Server;
  readonly #injector: { injectConnection(connection: Duplex): void };

  constructor({ credentials, open, cut }: FlagdServiceOptions) {
    this.#server = new Server({
      interceptors: [boundedRequests(cut)],
      'grpc.enable_channelz': 0,
      'grpc.max_receive_message_length': requestBytesMax,
      'grpc.max_concurrent_streams': callsOfConnectionMax,
      'grpc.keepalive_time_ms': pingEveryMs,
      'grpc.keepalive_timeout_ms': pingAnswerMs,
    });
    // Some providers call it first, without credentials.
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
