import type { Static, TSchema } from 'typebox';
import type { ConsolePrincipal, ProjectPrincipal } from '../domain/console/console-principal.ts';
import type { ConsoleProblem } from '../domain/console/console-problem.ts';
import { bodyBytesMax } from '../domain/management/request-body.ts';
import type { Role } from '../domain/member/member.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { RecordChange } from '../domain/record-change.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import type { TextPieces } from '../support/text-pieces.ts';
import type { ConsoleSettings } from './console-settings.ts';
import type { Conversation } from './conversation.ts';

/* An operation of the console is one file of a folder next to this one: its route, its access, the shapes of input
   and answer, and what it does. Its id is the file's name. The tables of all operations are made from the files
   (`console-operations.ts`), and everything else about an operation derives from its row. */

/**
 * The required access. A record of the organisation is looked up in the member's own organisation, one of a project by
 * `{projectId}`. A record of another organisation or project is a 404, like one that does not exist; an insufficient
 * role is a 403.
 */
export type ConsoleAccess =
  | { readonly scope: 'public' }
  /** Anybody who is signed in. */
  | { readonly scope: 'member' }
  | { readonly scope: 'organisation'; readonly role: Role }
  | { readonly scope: 'project'; readonly role: Role };

export const anybody = { scope: 'public' } as const;
export const signedIn = { scope: 'member' } as const;
export function inOrganisation(role: Role): { readonly scope: 'organisation'; readonly role: Role } {
  return { scope: 'organisation', role };
}
export function inProject(role: Role): { readonly scope: 'project'; readonly role: Role } {
  return { scope: 'project', role };
}

/** Method and path below `/console/api`; `{name}` is a parameter of the path. */
export type ConsoleRoute = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/** A call as an operation sees it: its guard has passed, and its body has the operation's shape. */
export interface ConsoleRequest<Body = unknown> {
  readonly requestId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly address: string;
  readonly userAgent: string;
  readonly body: Body;
}

export interface ConsoleContext extends ConsoleSettings {
  /** Unix milliseconds, one value for the whole request. */
  readonly now: number;
  newId(): string;
  /** @returns a new secret of a token, without prefix, or of a link or session: 49 characters with their checksum. */
  newSecret(): string;
  /** SHA-256 of a secret's part after its last underscore, 32 bytes. */
  hashSecret(secret: string): Uint8Array;
}

/** Text in pieces, some of which may be empty: between pieces a worker does other work. */
export interface ReplyPieces {
  readonly contentType: string;
  readonly text: TextPieces;
  /** The answer is a file to be saved under this name: letters, digits, dots and hyphens. */
  readonly fileName?: string | undefined;
}

/** The body of an operation's answer: a value for `JSON.stringify`, or text in pieces (a long list as JSON, or another type). */
export interface Shown {
  readonly status?: 200 | 201;
  readonly value?: unknown;
  readonly pieces?: ReplyPieces;
}

/** The writer's answer, and the changes that are all stored before it is given. */
export interface ConsoleDecision {
  readonly changes: readonly RecordChange[];
  readonly reply: Shown;
}

type PrincipalOf<Access> = Access extends { readonly scope: 'project' }
  ? ProjectPrincipal
  : Access extends { readonly scope: 'public' }
    ? ConsolePrincipal | null
    : ConsolePrincipal;
type BodyOf<Schema> = Schema extends TSchema ? Static<Schema> : null;

type Run<Body, Principal, Result> = (
  queries: RecordQueries,
  request: ConsoleRequest<Body>,
  principal: Principal,
  context: ConsoleContext,
) => Outcome<Result, ConsoleProblem>;

/** The declaration of an operation. */
interface Row {
  readonly api: 'console';
  readonly id: string;
  /** Null: a step of a conversation, which has no endpoint. */
  readonly route: ConsoleRoute | null;
  readonly access: ConsoleAccess;
  /** Known query parameters, all optional; others are a 400. */
  readonly query: readonly string[];
  /** The query comes from another service: the operation reads it as received, and ignores unknown parameters. */
  readonly hasForeignQuery: boolean;
  /** Null: the operation takes no body. Unknown members are refused. */
  readonly body: TSchema | null;
  /** The answer comes in pieces, which are read from a snapshot of its own. */
  readonly inPieces: boolean;
  /** Null: it takes no body. */
  readonly bodyBytesMax: number | null;
  /** Schema of the answer 200 or 201. Null: 204, or a body that is not JSON. */
  readonly answer: TSchema | null;
}

/** A worker answers it from a snapshot. */
export interface ConsoleRead extends Row {
  readonly actor: 'read';
  /** A step of the writer that records the read before its answer begins; null: nothing is recorded. */
  readonly recordedBy: string | null;
  readonly run: Run<never, never, Shown>;
}
/** The writer decides it. */
export interface ConsoleWrite extends Row {
  readonly actor: 'write';
  readonly run: Run<never, never, ConsoleDecision>;
}
/** A worker runs its steps, which may be of both kinds. */
export interface ConsoleConversation extends Row {
  readonly actor: 'conversation';
  readonly run: Conversation<never>;
}
export type ConsoleOperation = ConsoleRead | ConsoleWrite | ConsoleConversation;

interface Sent<Route, Access, Query, Body, Answer> {
  readonly route: Route;
  readonly access: Access;
  readonly query?: Query;
  readonly hasForeignQuery?: boolean;
  readonly inPieces?: boolean;
  readonly body?: Body;
  readonly answer?: Answer;
}
type Schema = TSchema | null;

/** The largest body that a worker reads itself: a secret, a name, a password, the attributes of a trial. */
const smallBodyBytesMax = 16 * 1024;

/** The types of input and answer stay with each row: the web app takes its types from them. */
function rowOf<
  Id extends string,
  Route extends ConsoleRoute,
  Access extends ConsoleAccess,
  Query extends readonly string[],
  Body extends Schema,
  Answer extends Schema,
>(id: Id, sent: Sent<Route, Access, Query, Body, Answer>) {
  const { route, access, query, hasForeignQuery = false, inPieces = false, body, answer } = sent;
  return {
    api: 'console' as const,
    id,
    route,
    access,
    query: (query ?? []) as Query,
    hasForeignQuery,
    inPieces,
    body: (body ?? null) as Body,
    bodyBytesMax: body == null ? null : smallBodyBytesMax,
    answer: (answer ?? null) as Answer,
  };
}

/** An operation that a worker answers from a snapshot. */
export function consoleRead<
  const Id extends string,
  const Route extends ConsoleRoute,
  const Access extends ConsoleAccess,
  const Query extends readonly string[] = [],
  Body extends Schema = null,
  Answer extends Schema = null,
>(
  id: Id,
  sent: Sent<Route, Access, Query, Body, Answer> & {
    readonly recordedBy?: ConsoleWrite;
    readonly run: Run<BodyOf<Body>, PrincipalOf<Access>, Shown>;
  },
) {
  const { run, recordedBy } = sent;
  return { ...rowOf(id, sent), actor: 'read' as const, recordedBy: recordedBy?.id ?? null, run };
}

/** An operation that the writer decides. */
export function consoleWrite<
  const Id extends string,
  const Route extends ConsoleRoute,
  const Access extends ConsoleAccess,
  const Query extends readonly string[] = [],
  Body extends Schema = null,
  Answer extends Schema = null,
>(
  id: Id,
  sent: Sent<Route, Access, Query, Body, Answer> & {
    readonly run: Run<BodyOf<Body>, PrincipalOf<Access>, ConsoleDecision>;
  },
) {
  const row = rowOf(id, sent);
  const isLong = row.body !== null && sent.access.scope !== 'public';
  const bytesMax = isLong ? bodyBytesMax : row.bodyBytesMax;
  return { ...row, bodyBytesMax: bytesMax, actor: 'write' as const, run: sent.run };
}

/** An operation that takes several steps. */
export function conversation<
  const Id extends string,
  const Route extends ConsoleRoute,
  const Access extends ConsoleAccess,
  const Query extends readonly string[] = [],
  Body extends Schema = null,
  Answer extends Schema = null,
>(id: Id, sent: Sent<Route, Access, Query, Body, Answer> & { readonly run: Conversation<BodyOf<Body>> }) {
  return { ...rowOf(id, sent), actor: 'conversation' as const, run: sent.run };
}

/* A step is a read or write that a conversation makes while it answers an operation: half a sign-in, for example.
   The conversation passes its body as a value, which has no schema. */
const noWire = {
  ...({ api: 'console', route: null, hasForeignQuery: false, inPieces: false } as const),
  ...{ body: null, bodyBytesMax: null, answer: null },
};

export function readStep<Access extends ConsoleAccess, Body>(
  id: string,
  access: Access,
  run: Run<Body, PrincipalOf<Access>, Shown>,
  query: readonly string[] = [],
): ConsoleRead {
  return { ...noWire, id, access, query, actor: 'read', recordedBy: null, run };
}

export function writeStep<Access extends ConsoleAccess, Body>(
  id: string,
  access: Access,
  run: Run<Body, PrincipalOf<Access>, ConsoleDecision>,
  query: readonly string[] = [],
): ConsoleWrite {
  return { ...noWire, id, access, query, actor: 'write', run };
}
