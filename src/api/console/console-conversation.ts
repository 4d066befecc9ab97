import type { ConsoleActors } from './console-actors.ts';
import type { ConsoleReply } from './console-reply.ts';

/** A request that takes several steps: reads, changes and what the process does once for all workers. */
export interface ConversationCall {
  readonly reply: ConsoleReply;
  readonly query: Readonly<Record<string, string>>;
  /** As received; null when the operation takes none. */
  readonly body: Uint8Array | null;
}

/** Answers the request: when it resolves, the answer is given, or will be by what it has begun. */
export type ConsoleConversation = (call: ConversationCall, actors: ConsoleActors) => Promise<void>;
