import type { TSchema } from 'typebox';
import { type CompiledSchema, compileSchema } from '../contracts/compiled-schema.ts';
import { errorEnvelope } from '../contracts/error-envelope.ts';
import { problemTable } from '../contracts/problem-table.ts';
import type { ConsolePrincipal } from '../domain/console/console-principal.ts';
import type { ConsoleProblem } from '../domain/console/console-problem.ts';
import { guardConsole } from '../domain/console/guard-console.ts';
import { guardRequest, type Principal } from '../domain/management/guard.ts';
import { parseManagementQuery, requestedEnvironments } from '../domain/management/management-query.ts';
import type { Refusal } from '../domain/management/refusal.ts';
import { readJsonText } from '../domain/management/request-body.ts';
import { type Outcome, type RefusedWith, refuse, succeed } from '../domain/outcome.ts';
import { ProblemList, shown } from '../domain/problem-list.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import { needsTouch } from '../domain/session/session.ts';
import { guardSync } from '../domain/sync/sync-guard.ts';
import type { Denial } from '../domain/token/denial.ts';
import { recordDenial } from '../domain/token/record-denial.ts';
import { isIdShaped } from '../support/id-shape.ts';
import { decodeQuery } from '../support/query-string.ts';
import { joinPieces } from '../support/text-pieces.ts';
import { type ApiAnswer, type ApiCall, apiAnswer, type Caller } from './call.ts';
import type {
  ManagementOperation,
  ManagementRead,
  ManagementWrite,
  WriteDecision,
} from './management-operation.ts';
import type {
  ConsoleDecision,
  ConsoleOperation,
  ConsoleRead,
  ConsoleRequest,
  ConsoleWrite,
  Shown,
} from './operation.ts';
import { signedIn } from './operation.ts';
import type { OperationContext } from './operation-context.ts';
import type { SyncOperation } from './sync/sync-operations.ts';

/* Runs the operations of all APIs, in a worker and in the writer: authorizes callers, reads input, makes answers. */

export type Operation = ManagementOperation | ConsoleOperation | SyncOperation;

type Refused = RefusedWith<ApiAnswer>;

/** The name of an unknown endpoint in denials and logs. */
export const unknownRoute = 'unknown endpoint';

const noOperation = 'The console has no endpoint of this method and path.';

/**
 * Steps 4 to 7 of the order of checks: the credential, the plan, the route and the permission.
 * @param operation null: no operation has this method and path
 */
export function authorize(
  queries: RecordQueries,
  operation: Operation | null,
  call: ApiCall,
  context: OperationContext,
): Outcome<Caller, ApiAnswer> {
  if (call.api === 'console') {
    return authorizeMember(queries, operation as ConsoleOperation | null, call, context);
  }
  const authorization = call.credential;
  const guarded =
    call.api === 'sync'
      ? guardSync(queries, { authorization, place: syncPlaceOf(operation, call) }, context)
      : guardRequest(queries, { authorization, permission: permissionOf(operation) }, context);
  if (!guarded.ok) return refused(tokenRefusal(guarded.problem, operation, call, context));
  return succeed({ id: guarded.value.token.id, principal: guarded.value });
}

function permissionOf(operation: Operation | null) {
  return operation?.api === 'management' ? operation.permission : null;
}

function syncPlaceOf(operation: Operation | null, { params }: ApiCall) {
  const { projectId = '', environment = null } = params;
  return operation === null ? null : { projectId, environment };
}

function authorizeMember(
  queries: RecordQueries,
  operation: ConsoleOperation | null,
  { params, credential, header: shownMemberId }: ApiCall,
  context: OperationContext,
): Outcome<Caller, ApiAnswer> {
  const access = operation === null ? signedIn : operation.access;
  const projectId = params['projectId'] ?? null;
  const guarded = guardConsole(
    queries,
    access,
    { sessionSecret: credential, shownMemberId, projectId },
    context,
  );
  if (!guarded.ok) return refused(memberRefusal(guarded.problem, null, context));
  const { principal } = guarded.value;
  if (operation !== null) return succeed({ id: principal?.member.id ?? null, principal });
  return refused(memberRefusal({ code: 'not-found', detail: noOperation }, principal, context));
}

function refused(answer: ApiAnswer): Refused {
  return { ok: false, problem: answer };
}

/** Answers a read of an authorized caller. A body in pieces is read from `queries` while it is iterated. */
export function answerRead(
  queries: RecordQueries,
  operation: ManagementRead | ConsoleRead,
  call: ApiCall,
  { principal }: Caller,
  context: OperationContext,
): ApiAnswer {
  if (operation.api === 'management') {
    const read = operation.run(queries, call, principal as Principal);
    return read.ok ? read.value : tokenRefusal(read.problem, operation, call, context);
  }
  const member = principal as ConsolePrincipal | null;
  const read = runForMember<Shown>(queries, operation, call, member, context);
  return read.ok ? memberAnswer(read.value, member, context) : memberRefusal(read.problem, member, context);
}

/** Decides a change: authorizes its caller on the state on which it is decided. A refusal changes no flag. */
export function decideWrite(
  queries: RecordQueries,
  operation: ManagementWrite | ConsoleWrite,
  call: ApiCall,
  context: OperationContext,
): WriteDecision {
  const authorized = authorize(queries, operation, call, context);
  if (!authorized.ok) return refuseWrite(queries, authorized.problem);
  const { principal } = authorized.value;
  if (operation.api === 'management') {
    const decided = operation.run(queries, call, principal as Principal, context);
    return decided.ok
      ? decided.value
      : refuseWrite(queries, tokenRefusal(decided.problem, operation, call, context));
  }
  const member = principal as ConsolePrincipal | null;
  const decided = runForMember<ConsoleDecision>(queries, operation, call, member, context);
  if (!decided.ok) return { changes: [], answer: memberRefusal(decided.problem, member, context) };
  const answer = memberAnswer(decided.value.reply, member, context);
  // An answer for another thread must be text: pieces would be read after the transaction.
  return { changes: decided.value.changes, answer: { ...answer, body: joinPieces(answer.body) } };
}

/** The denial of a real token is stored in the transaction that refuses it. */
function refuseWrite(queries: RecordQueries, answer: ApiAnswer): WriteDecision {
  const { denial } = answer;
  const token = denial === null ? undefined : queries.token(denial.tokenId);
  const changes = denial === null || token === undefined ? [] : recordDenial(token, denial);
  return { changes, answer: { ...answer, denial: null } };
}

function tokenRefusal(
  refusal: Refusal,
  operation: Operation | null,
  call: ApiCall,
  { docsUrl, now }: OperationContext,
): ApiAnswer {
  const { code, isFailedAuthentication, tokenId: callerId, retryAfter } = refusal;
  const denial = denialOf(refusal, operation, call, now);
  const body = errorEnvelope(refusal, docsUrl);
  return apiAnswer(problemTable[code].status, body, { isFailedAuthentication, callerId, denial, retryAfter });
}

/** @returns the refusal as it is recorded on the token's page; null when no real token was refused */
function denialOf(
  { tokenId, denialReason: reason, environment: refusedEnvironment }: Refusal,
  operation: Operation | null,
  call: ApiCall,
  at: number,
): Denial | null {
  if (tokenId === null || reason === null) return null;
  const environment = refusedEnvironment ?? environmentIn(call.query);
  const route = operation?.route ?? unknownRoute;
  const flagId = call.params['id'];
  const denial = { tokenId, at, reason, route, environment, address: call.address };
  return flagId !== undefined && isIdShaped(flagId) ? { ...denial, flagId } : denial;
}

/** @returns the environment that a query of the Management API names first, as it is shown; null for none */
export function environmentIn(query: string): string | null {
  if (query === '') return null;
  const [environment] = requestedEnvironments(parseManagementQuery(query));
  return environment === undefined ? null : shown(environment);
}

function runForMember<Result>(
  queries: RecordQueries,
  operation: ConsoleRead | ConsoleWrite,
  call: ApiCall,
  principal: ConsolePrincipal | null,
  context: OperationContext,
): Outcome<Result, ConsoleProblem> {
  const input = readInput(operation, call);
  if (!input.ok) return input;
  const { requestId, params, address, userAgent } = call;
  const { query, body } = input.value;
  const request: ConsoleRequest = { requestId, params, address, userAgent, query, body };
  // The guard has found the principal that this access requires, and the body has the operation's shape.
  const run = operation.run as (...given: readonly unknown[]) => Outcome<Result, ConsoleProblem>;
  return run(queries, request, principal, context);
}

/** The input of an operation of the console's API. */
export interface ConsoleInput {
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Reads query and body, and checks them against what the operation declares. */
export function readInput(
  { query: known, hasForeignQuery, body: schema }: ConsoleOperation,
  { query: raw, body: bytes, input }: ApiCall,
): Outcome<ConsoleInput, ConsoleProblem> {
  const query = readQuery(hasForeignQuery ? '' : raw, known);
  if (!query.ok) return query;
  const body = schema === null || input !== undefined ? succeed(input ?? null) : readBody(schema, bytes);
  return body.ok ? succeed({ query: query.value, body: body.value }) : body;
}

const noQuery = succeed({});

/** Reads a query in which every name must be known and given once. */
function readQuery(
  raw: string,
  known: readonly string[],
): Outcome<Readonly<Record<string, string>>, ConsoleProblem> {
  if (raw === '') return noQuery;
  const problems = new ProblemList();
  const query = new Map<string, string>();
  for (const { name, value, fault } of decodeQuery(raw)) {
    if (name === null || value === null || fault !== null) {
      problems.add(() => 'a query parameter cannot be decoded: percent-encode it as UTF-8');
    } else if (!known.includes(name)) problems.add(() => `unknown query parameter "${shown(name)}"`);
    else if (query.has(name)) problems.add(() => `query parameter "${name}" is given more than once`);
    else query.set(name, value);
  }
  return problems.isEmpty ? succeed(Object.fromEntries(query)) : refuse('invalid-request', problems.detail());
}

/** A body may consist of errors only. This many are described: more than are listed, and few enough to be quick. */
const errorsMax = 100;
const compiled = new Map<TSchema, CompiledSchema<TSchema>>();

function checkerOf(schema: TSchema): CompiledSchema<TSchema> {
  const known = compiled.get(schema) ?? compileSchema(schema);
  compiled.set(schema, known);
  return known;
}

/** Reads a body and checks its shape. All problems are reported at once. */
function readBody(schema: TSchema, bytes: Uint8Array | null): Outcome<unknown, ConsoleProblem> {
  const read = readJsonText(bytes);
  if (read.kind === 'unreadable') return refuse('invalid-request', read.problem);
  if (read.kind === 'empty') {
    return refuse('invalid-request', 'the request body must be a JSON object, and it is empty');
  }
  const value: unknown = JSON.parse(read.text);
  const checker = checkerOf(schema);
  if (checker.isRight(value)) return succeed(value);
  const problems = new ProblemList();
  for (const text of checker.problems(value, { name: 'the request body', errorsMax })) {
    problems.add(() => text);
  }
  return refuse('invalid-request', problems.detail());
}

function memberRefusal(
  problem: ConsoleProblem,
  principal: ConsolePrincipal | null,
  context: OperationContext,
): ApiAnswer {
  const { status } = problemTable[problem.code];
  return apiAnswer(status, errorEnvelope(problem, context.docsUrl, 'console'), useOf(principal, context));
}

/** @returns the answer to a successful request: 204 when there is nothing to show */
function memberAnswer(
  { status = 200, value, pieces }: Shown,
  principal: ConsolePrincipal | null,
  context: OperationContext,
): ApiAnswer {
  const use = useOf(principal, context);
  if (pieces !== undefined) {
    const { text, contentType, fileName } = pieces;
    return { ...apiAnswer(status, text, use), contentType, fileName };
  }
  if (value === undefined) return { ...apiAnswer(204, '', use), contentType: null };
  return apiAnswer(status, JSON.stringify(value), use);
}

function useOf(principal: ConsolePrincipal | null, { now }: OperationContext) {
  if (principal === null) return {};
  const { session, member } = principal;
  return { callerId: member.id, touchedSessionId: needsTouch(session, now) ? session.id : null };
}
