import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleReply } from './console-reply.ts';

/** A request that the gateway answers itself, asking evaluators and the writer on the way. */
export interface GatewayCall {
  readonly reply: ConsoleReply;
  readonly query: Readonly<Record<string, string>>;
  /** As received; null when the operation takes none. */
  readonly body: Uint8Array | null;
}

/** Answers the request: when it resolves, the answer is given, or will be by what it has begun. */
export type GatewayOperation = (call: GatewayCall, actors: ConsoleActors) => Promise<void>;
