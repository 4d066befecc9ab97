import { idempotencyKeyLengthMax } from '../../domain/idempotency/idempotency-key.ts';
import type { ProblemCode } from '../../domain/problem.ts';
import type { Operation, OperationParameter } from '../operation.ts';
import { flagCreateBodySchema } from './flag-create-body.ts';
import { flagListSchema } from './flag-list.ts';
import { flagPatchBodySchema } from './flag-patch-body.ts';
import { flagRepresentationSchema, groupFlagSchema, singleFlagSchema } from './flag-representation.ts';
import type { ManagementRoute } from './management-call.ts';
import { patchResultSchema } from './patch-result.ts';
import { tokenDescriptionSchema } from './token-description.ts';

/** What any Management API request may be answered, before its route is looked at. */
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
  'storage-full',
];

const flagId: OperationParameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Flag id.',
  example: 'k3VvX0aPq7Lw2ZtR9bNd',
};

function envParameter(description: string): OperationParameter {
  return { name: 'env', in: 'query', required: false, description, example: 'production' };
}

const dryRun: OperationParameter = {
  name: 'dryRun',
  in: 'query',
  required: false,
  description: 'With true, nothing is written: the answer is the one that the write would get.',
  example: 'true',
  schema: { type: 'string', enum: ['true', 'false'] },
};

const idempotencyKey: OperationParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'With the same key and body within 24 hours, the first answer again; nothing is created.',
  example: 'pipeline-4711-checkout',
  schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyLengthMax, pattern: '^[!-~]+$' },
};

function conditionHeader(name: string, description: string): OperationParameter {
  return { name, in: 'header', required: false, description, example: '"5-2"' };
}

/** The five routes of the Management API. They need a bearer token. */
export const managementOperations: readonly (Operation & { readonly id: ManagementRoute })[] = [
  {
    id: 'read-token',
    tag: 'Management API',
    method: 'get',
    path: '/api/v1/token',
    summary: 'See what the token may do',
    parameters: [],
    requestBody: null,
    answers: [{ status: 200, description: 'The token that asked.', schema: tokenDescriptionSchema }],
    problems: commonProblems,
  },
  {
    id: 'list-flags',
    tag: 'Management API',
    method: 'get',
    path: '/api/v1/flags',
    summary: "List the flags of the token's project",
    parameters: [
      {
        name: 'name',
        in: 'query',
        required: false,
        description: 'Only flags of exactly this name (case-sensitive). The way from a name to an id.',
        example: 'checkout',
      },
      envParameter('Shows group flags flat, for this environment.'),
    ],
    requestBody: null,
    answers: [{ status: 200, description: 'The flags, by name, then id.', schema: flagListSchema }],
    problems: [...commonProblems, 'environment-not-permitted'],
  },
  {
    id: 'read-flag',
    tag: 'Management API',
    method: 'get',
    path: '/api/v1/flags/{id}',
    summary: 'Read one flag',
    parameters: [
      flagId,
      envParameter('Shows a group flag flat, for this environment.'),
      conditionHeader('If-None-Match', 'ETags of earlier answers to this request. If one still holds: 304.'),
    ],
    requestBody: null,
    answers: [
      { status: 200, description: 'The flag.', schema: flagRepresentationSchema, hasEntityTag: true },
      { status: 304, description: 'The flag is as it was.', schema: null, hasEntityTag: true },
    ],
    problems: [...commonProblems, 'environment-not-permitted', 'not-found'],
  },
  {
    id: 'create-flag',
    tag: 'Management API',
    method: 'post',
    path: '/api/v1/flags',
    summary: 'Create a flag',
    parameters: [dryRun, idempotencyKey],
    requestBody: flagCreateBodySchema,
    answers: [
      {
        status: 201,
        description: 'The new flag.',
        schema: { anyOf: [singleFlagSchema, groupFlagSchema] },
        hasEntityTag: true,
      },
    ],
    problems: [...writeProblems, 'create-forbidden'],
  },
  {
    id: 'patch-flag',
    tag: 'Management API',
    method: 'patch',
    path: '/api/v1/flags/{id}',
    summary: 'Change the state of a flag',
    parameters: [
      flagId,
      envParameter('The environment to change. Required for a group flag, refused otherwise.'),
      dryRun,
      conditionHeader('If-Match', 'ETags of earlier answers. If the flag has changed since: 412.'),
    ],
    requestBody: flagPatchBodySchema,
    answers: [
      {
        status: 200,
        description: 'The flag after the patch, flat.',
        schema: patchResultSchema,
        hasEntityTag: true,
      },
    ],
    problems: [...writeProblems, 'environment-not-permitted', 'not-found', 'precondition-failed'],
  },
];
