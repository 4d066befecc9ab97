import type { ConsolePrincipal, ProjectPrincipal } from '../../domain/console/console-principal.ts';
import type { ConsoleOutcome } from '../../domain/console/console-problem.ts';
import type { RecordChange } from '../../domain/record-change.ts';
import type { RecordQueries } from '../../domain/record-queries.ts';
import type { Steps } from '../../support/steps.ts';
import type { TextPieces } from '../../support/text-pieces.ts';

/** A call as a handler sees it: the guard has passed it, and its body has the operation's shape. */
export interface ConsoleRequest<Body = unknown> {
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Body;
}

export interface ConsoleContext {
  /** Unix milliseconds, one value for the whole request. */
  readonly now: number;
  newId(): string;
  /** @returns a new token secret without prefix, or of a link or session: 49 characters with their checksum. */
  newSecret(): string;
  /** SHA-256 of a secret's part after its last underscore, 32 bytes. */
  hashSecret(secret: string): Uint8Array;
  readonly tokenPrefix: string;
  /** Without a trailing slash: what links in answers are built from, never the Host header. */
  readonly baseUrl: string;
}

/** Text in pieces, which may be empty: between two of them a worker does other work. */
export interface ReplyPieces {
  readonly contentType: string;
  readonly text: TextPieces;
  /** The answer is a file to be kept, by this name: letters, digits, dots and hyphens. */
  readonly fileName?: string;
}

/** A value that `JSON.stringify` shows, or text in pieces: a long list as JSON, or another kind. */
export interface ConsoleReply {
  readonly status?: 200 | 201;
  readonly value?: unknown;
  readonly pieces?: ReplyPieces;
  /** What is shown, where a long record is read for it first. */
  readonly later?: Steps<ConsoleOutcome<ConsoleReply>>;
}

/** What the writer answers, and the changes that are stored whole before it does. */
export interface ConsoleDecision {
  readonly changes: readonly RecordChange[];
  readonly reply: ConsoleReply;
}

export type ConsoleRead = (
  queries: RecordQueries,
  request: ConsoleRequest,
  principal: ConsolePrincipal,
  context: ConsoleContext,
) => ConsoleOutcome<ConsoleReply>;

export type ProjectRead = (
  queries: RecordQueries,
  request: ConsoleRequest,
  principal: ProjectPrincipal,
  context: ConsoleContext,
) => ConsoleOutcome<ConsoleReply>;

export type ConsoleCommand<Body> = (
  queries: RecordQueries,
  request: ConsoleRequest<Body>,
  principal: ConsolePrincipal,
  context: ConsoleContext,
) => ConsoleOutcome<ConsoleDecision>;

export type ProjectCommand<Body> = (
  queries: RecordQueries,
  request: ConsoleRequest<Body>,
  principal: ProjectPrincipal,
  context: ConsoleContext,
) => ConsoleOutcome<ConsoleDecision>;

/** A handler in the table of its area. `member` is for everything that is no project's: the guard has seen to the rest. */
export type ConsoleReadEntry =
  | { readonly scope: 'member'; readonly run: ConsoleRead }
  | { readonly scope: 'project'; readonly run: ProjectRead };

export type ConsoleCommandEntry =
  | { readonly scope: 'member'; readonly run: ConsoleCommand<never> }
  | { readonly scope: 'project'; readonly run: ProjectCommand<never> };
