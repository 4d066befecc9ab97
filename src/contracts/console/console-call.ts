import type { Steps } from '../../support/steps.ts';
import type { TextPieces } from '../../support/text-pieces.ts';
import type { ConsoleAskId } from './console-steps.ts';

/** A request of the console, whole: a worker answers a read by itself, and sends a change to the writer. Its route is matched. */
export interface ConsoleCall {
  readonly requestId: string;
  readonly operation: ConsoleAskId;
  /** Decoded, by the names in the operation's path. */
  readonly params: Readonly<Record<string, string>>;
  /** Decoded; unknown and repeated names were refused. */
  readonly query: Readonly<Record<string, string>>;
  /** Of the session cookie; null when there is none. Never logged. */
  readonly sessionSecret: string | null;
  readonly address: string;
  readonly userAgent: string;
  /** As received; null when the operation takes none. */
  readonly body: Uint8Array | null;
}

/** What the guard looks at of a request, before its body has come. */
export type ConsoleCallHead = Pick<ConsoleCall, 'operation' | 'params' | 'sessionSecret'>;

/** What is said of an answer beside its status and body. */
export interface ConsoleAnswerHead {
  /** The session that asked is to be marked as seen. */
  readonly touchedSessionId: string | null;
  /** Who asked, for the log; null when nobody is signed in. */
  readonly memberId: string | null;
  /** Whose share of the service the answer takes beside; null for a person who only owns personal projects. */
  readonly organisationId: string | null;
  /** Of the body; null when there is none. */
  readonly contentType: string | null;
  /** The body is a file to be kept, by this name. */
  readonly fileName?: string;
}

export interface ConsoleAnswer extends ConsoleAnswerHead {
  readonly status: number;
  /** Whole, or in pieces that are joined as they are. */
  readonly body: string | TextPieces;
  /** The answer proper, where a long record is read for it first: of this one only who asked counts. */
  readonly later?: Steps<ConsoleAnswer>;
}
