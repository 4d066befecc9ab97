import type { WriterPort } from '../writer/client/writer-client.ts';
import type { ApiRequest } from './api-request.ts';
import type { ApiCall, ApiReads } from './call.ts';
import type { NodesPort } from './cluster/nodes-port.ts';
import type { ConsoleSettings } from './console-settings.ts';
import type { ReadQueue } from './read-queue.ts';
import type { OpenIdCookie } from './sessions/open-id/open-id-cookie.ts';
import type { OpenIdPort } from './sessions/open-id/open-id-protocol.ts';
import type { SessionCookie } from './sessions/session-cookie.ts';
import type { SyncStreamsPort } from './sync/sync-streams-port.ts';
import type { PageWatchers } from './watching/page-watchers.ts';

/** The client that has a password checked or hashed. */
export interface PasswordCaller {
  /** Of the address. */
  readonly limitKey: string;
  /** The account of the password: its email, or another name for it. */
  readonly account: string;
  /** Whether the client's address has a live session of the account, or a link for it. */
  readonly isKnown: boolean;
}

/** The calls of a sign-in to the process' queue, which makes and checks a few hashes at a time. */
export interface PasswordPort {
  /**
   * Checks a password against several hashes, one after the other.
   *
   * @param passwordHashes null for a member who is unknown or has none: the check takes as long
   * @returns which of them match
   */
  check(
    caller: PasswordCaller,
    passwordHashes: readonly (string | null)[],
    password: string,
  ): Promise<readonly boolean[] | 'busy'>;
  hash(caller: PasswordCaller, password: string): Promise<string | 'busy'>;
}

/** Counts attempts to sign in, by account and by address. Implemented by the worker's limiters. */
export interface SignInAttempts {
  /**
   * Counts an attempt before any work is done for it, so that many at once are counted too.
   * @returns null when it may be made, or seconds until one may be made.
   */
  begin(account: string, limitKey: string): number | null | Promise<number | null>;
  /** Takes back an attempt that was right, or was not checked. */
  giveBack(account: string, limitKey: string): void;
  /** Counts an attempt whose account is known only at its end, for the address alone. */
  beginFrom(limitKey: string): number | null | Promise<number | null>;
  giveBackFrom(limitKey: string): void;
}

/** A request that takes several steps: reads, changes, and calls to the main thread. */
export interface ConversationCall<Body = unknown> {
  readonly request: ApiRequest;
  readonly body: Body;
}

/** The actors of conversations. */
export interface ConversationActors {
  readonly reads: ApiReads;
  readonly readQueue: ReadQueue;
  readonly writer: WriterPort;
  readonly settings: ConsoleSettings;
  readonly cookie: SessionCookie;
  readonly watchers: PageWatchers;
  readonly passwords: PasswordPort;
  readonly attempts: SignInAttempts;
  readonly openIdCookie: OpenIdCookie;
  /** Null when no provider is configured. */
  readonly openId: OpenIdPort | null;
  readonly nodes: NodesPort;
  readonly syncStreams: SyncStreamsPort;
  /** Marks a session as seen, in the background: no answer waits for it. */
  touch(sessionId: string | null): void;
  /**
   * Counts a failed sign-in, and has it recorded for the members with the email, in the background: the time of the
   * answer reveals nothing about them.
   */
  noteFailedSignIn(memberIds: readonly string[], from: Pick<ApiCall, 'address' | 'requestId'>): void;
}

/** Answers the request: when it resolves, the answer is given, or will be given by work that it has begun. */
export type Conversation<Body> = (call: ConversationCall<Body>, actors: ConversationActors) => Promise<void>;
