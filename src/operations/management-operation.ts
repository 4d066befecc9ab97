import type { DescribedOperation, OperationAnswer, OperationParameter } from '../contracts/operation.ts';
import type { GuardContext, Principal } from '../domain/management/guard.ts';
import type { Step } from '../domain/management/refusal.ts';
import { bodyBytesMax } from '../domain/management/request-body.ts';
import type { ProblemCode } from '../domain/problem.ts';
import type { RecordChange } from '../domain/record-change.ts';
import type { RecordQueries } from '../domain/record-queries.ts';
import type { Permission } from '../domain/token/token.ts';
import { type ApiAnswer, type ApiCall, apiAnswer } from './call.ts';

/* An operation of the Management API is one file of a folder next to this one: its route, its part of the OpenAPI
   document, and what it does from step 8 of the order of checks on. A read needs a token's read permission, a change
   its write permission. */

/** The input of a decision in addition to the records and the call. */
export interface WriteContext extends GuardContext {
  newId(): string;
  /** SHA-256, 32 bytes. */
  hashBytes(bytes: Uint8Array): Uint8Array;
}

/**
 * @param body JSON text, whole or in pieces; empty for a 304.
 * @param fields `entityTag`: of the one flag that the body shows as it is stored.
 */
export function successAnswer(
  status: 200 | 201 | 304,
  body: ApiAnswer['body'],
  callerId: string,
  fields: Partial<Pick<ApiAnswer, 'entityTag' | 'nameTakenBy'>> = {},
): ApiAnswer {
  return apiAnswer(status, body, { callerId, ...fields });
}

/** A decided write. All `changes` are stored before `answer` is given; a refusal may have changes too. */
export interface WriteDecision {
  readonly changes: readonly RecordChange[];
  readonly answer: ApiAnswer;
}

type RunRead = (queries: RecordQueries, call: ApiCall, principal: Principal) => Step<ApiAnswer>;

type RunWrite = (
  queries: RecordQueries,
  call: ApiCall,
  principal: Principal,
  context: WriteContext,
) => Step<WriteDecision>;

interface Row {
  readonly api: 'management';
  readonly id: string;
  /** Method and path. Denials and logs use it as the endpoint's name. */
  readonly route: string;
  readonly permission: Permission;
  /** The request header that it reads in addition to the token's, in lower case; null: none. */
  readonly header: string | null;
  /** Null: it takes no body. */
  readonly bodyBytesMax: number | null;
  readonly described: DescribedOperation;
}
/** A worker answers it from a snapshot. */
export interface ManagementRead extends Row {
  readonly actor: 'read';
  /** The answer comes in pieces, which are read from a snapshot of its own. */
  readonly inPieces: boolean;
  readonly run: RunRead;
}
/** The writer decides it. */
export interface ManagementWrite extends Row {
  readonly actor: 'write';
  readonly run: RunWrite;
}
export type ManagementOperation = ManagementRead | ManagementWrite;

interface Sent {
  readonly route: `${'GET' | 'POST' | 'PATCH'} /api/v1/${string}`;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly OperationParameter[];
  readonly body?: DescribedOperation['requestBody'];
  readonly answers: readonly OperationAnswer[];
  /** Problems beyond those that any operation of its kind may answer with. */
  readonly problems: readonly ProblemCode[];
}

/** Problems that any Management API request may be answered with, before its route is known. */
const commonProblems: readonly ProblemCode[] = [
  'invalid-request',
  'missing-bearer-token',
  'malformed-bearer-token',
  'unknown-token',
  'token-revoked',
  'token-expired',
  'plan-required',
  'too-many-requests',
  'too-many-failed-attempts',
  'internal-error',
  'service-unavailable',
];

const writeProblems: readonly ProblemCode[] = [
  ...commonProblems,
  'insufficient-permission',
  'request-timeout',
  'payload-too-large',
  'write-quota-reached',
  'not-confirmed',
  'storage-full',
];

export const flagIdParameter: OperationParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Flag id.',
  example: 'k3VvX0aPq7Lw2ZtR9bNd',
};

export const dryRunParameter: OperationParameter = {
  name: 'dryRun',
  in: 'query',
  required: false,
  description:
    'With true, nothing is written. The answer is the one that the write would get. Any value but true and false is a 400.',
  example: true,
  schema: { type: 'boolean' },
};

export function envParameter(description: string): OperationParameter {
  return { name: 'env', in: 'query', required: false, description, example: 'production' };
}

export function conditionHeader(name: string, description: string): OperationParameter {
  return { name, in: 'header', required: false, description, example: '"5-2"' };
}

function rowOf(id: string, sent: Sent, permission: Permission): Row {
  const { route, summary, description, parameters, body = null, answers } = sent;
  const [method, path] = route.split(' ') as [string, string];
  const common = permission === 'read' ? commonProblems : writeProblems;
  const problems = [...common, ...sent.problems];
  const header = parameters.find((parameter) => parameter.in === 'header')?.name.toLowerCase() ?? null;
  const described: DescribedOperation = {
    ...{ id, tag: 'Management API', method: method.toLowerCase() as DescribedOperation['method'], path },
    ...{ summary, description, parameters, requestBody: body, answers, problems },
  };
  const bytesMax = permission === 'read' ? null : bodyBytesMax;
  return { api: 'management', id, route, permission, header, bodyBytesMax: bytesMax, described };
}

/** An operation that a worker answers from a snapshot. */
export function managementRead(
  id: string,
  { run, inPieces = false, ...sent }: Sent & { run: RunRead; inPieces?: boolean },
): ManagementRead {
  return { ...rowOf(id, sent, 'read'), actor: 'read', inPieces, run };
}

/** An operation that the writer decides. */
export function managementWrite(id: string, { run, ...sent }: Sent & { run: RunWrite }): ManagementWrite {
  return { ...rowOf(id, sent, 'write'), actor: 'write', run };
}
