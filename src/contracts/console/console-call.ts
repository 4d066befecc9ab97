import type { ConsoleOperationId } from './console-operations.ts';

/** A request of the console as it crosses to an evaluator or the writer, whole. The gateway has matched its route. */
export interface ConsoleCall {
  readonly requestId: string;
  readonly operation: ConsoleOperationId;
  /** Decoded, by the names in the operation's path. */
  readonly params: Readonly<Record<string, string>>;
  /** Decoded; the gateway has refused unknown and repeated names. */
  readonly query: Readonly<Record<string, string>>;
  /** Of the session cookie; null when there is none. Never logged. */
  readonly sessionSecret: string | null;
  readonly address: string;
  readonly userAgent: string;
  /** As received; null when the operation takes none. */
  readonly body: Uint8Array | null;
}

export interface ConsoleAnswer {
  readonly status: number;
  /** JSON text, whole, or in pieces that are joined as they are. */
  readonly body: string | Iterable<string>;
  /** The session that asked is to be marked as seen. */
  readonly touchedSessionId: string | null;
  /** Content type of a body that is no JSON (exports). */
  readonly contentType?: string;
}
