import type { TSchema } from 'typebox';
import { errorEnvelopeSchema } from '../contracts/error-envelope-schema.ts';
import { evaluationOperations } from '../contracts/evaluation/evaluation-operations.ts';
import { ofrepOperations } from '../contracts/ofrep/ofrep-operations.ts';
import { componentReference, componentSchemas, openSchema } from '../contracts/openapi-components.ts';
import type { DescribedOperation, OperationAnswer } from '../contracts/operation.ts';
import { problemTable } from '../contracts/problem-table.ts';
import { syncOperations } from '../contracts/sync/sync-operations.ts';
import type { ProblemCode } from '../domain/problem.ts';
import { tooManyRequestsText } from './answer-headers.ts';
import { managementOperations } from './management-operations.ts';

const requestIdHeader = {
  'X-Request-Id': { description: 'Names this request in the logs.', schema: { type: 'string' } },
};
const retryAfterHeader = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
};

function ownHeaders({ headers = {} }: OperationAnswer): Record<string, unknown> {
  const described = Object.entries(headers).map(([name, { description, example }]) => {
    return [name, { description, schema: { type: 'string', examples: [example] } }] as const;
  });
  return Object.fromEntries(described);
}

/** Both need a token, and name each request. */
function needsToken({ tag }: DescribedOperation): boolean {
  return tag === 'Management API' || tag === 'Sync';
}

function headersOf(operation: DescribedOperation, status: number): Record<string, unknown> {
  const requestId = needsToken(operation) ? requestIdHeader : {};
  return status === 429 || status === 503 ? { ...requestId, ...retryAfterHeader } : requestId;
}

function titleSchema(codes: readonly ProblemCode[]): TSchema {
  return { type: 'object', properties: { error: { enum: codes.map((code) => problemTable[code].title) } } };
}

/** The Management API's request rate for each address answers before anything is parsed, so its body is plain text. */
function contentOf(operation: DescribedOperation, codes: readonly ProblemCode[]): Record<string, unknown> {
  const isPlainToo = operation.tag === 'Management API' && codes.includes('too-many-requests');
  const enveloped = isPlainToo ? codes.filter((code) => code !== 'too-many-requests') : codes;
  const json = { schema: { allOf: [componentReference(errorEnvelopeSchema), titleSchema(enveloped)] } };
  // The whole body, as a constant: generated types distinguish it from an envelope by its value.
  const plain = { schema: { type: 'string', const: tooManyRequestsText } };
  return { 'application/json': json, ...(isPlainToo ? { 'text/plain': plain } : {}) };
}

function problemResponse(operation: DescribedOperation, status: number): Record<string, unknown> {
  const codes = operation.problems.filter((code) => problemTable[code].status === status);
  return {
    description: codes.map((code) => problemTable[code].title).join(', '),
    headers: headersOf(operation, status),
    content: contentOf(operation, codes),
  };
}

function answerResponse(operation: DescribedOperation, answer: OperationAnswer): Record<string, unknown> {
  const { status, description, schema, isStream = false, hasRetryAfter = false } = answer;
  const headers = {
    ...headersOf(operation, status),
    ...(hasRetryAfter ? retryAfterHeader : {}),
    ...ownHeaders(answer),
  };
  const content = {
    ...(schema === null ? {} : { 'application/json': { schema: openSchema(schema) } }),
    ...(isStream ? { 'text/event-stream': { schema: { type: 'string' } } } : {}),
  };
  return { description, headers, ...(schema === null && !isStream ? {} : { content }) };
}

function responsesOf(operation: DescribedOperation): Record<string, unknown> {
  const statuses = new Set(operation.problems.map((code) => problemTable[code].status));
  return {
    ...Object.fromEntries(operation.answers.map((each) => [each.status, answerResponse(operation, each)])),
    ...Object.fromEntries([...statuses].map((each) => [each, problemResponse(operation, each)])),
  };
}

function operationObject(operation: DescribedOperation): Record<string, unknown> {
  const { id, tag, summary, description, requestBody } = operation;
  const parameters = operation.parameters.map((each) => ({ schema: { type: 'string' }, ...each }));
  const body = requestBody && {
    required: true,
    content: { 'application/json': { schema: componentReference(requestBody) } },
  };
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    parameters,
    ...(body ? { requestBody: body } : {}),
    // An empty list is written, too: a missing one could have been forgotten.
    security: needsToken(operation) ? [{ bearerToken: [] }] : [],
    responses: responsesOf(operation),
  };
}

const tags = [
  { name: 'Evaluation API', description: 'Is a flag on for this caller? Read-only and without credentials.' },
  {
    name: 'OFREP',
    description:
      'The OpenFeature Remote Evaluation Protocol, for providers of OpenFeature: the Evaluation API in another form. The same endpoints stand at `/ofrep/v1`, with `X-API-Key: {project id}/{environment}`.',
  },
  {
    name: 'Sync',
    description: 'The configuration of an environment, for programs that evaluate in their own process.',
  },
  { name: 'Management API', description: 'Lists, reads, creates and changes the flags of one project.' },
];
const bearerToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'The secret of a token, which the console shows once. It belongs to one project.',
};

/** Every endpoint that programs use. */
export const operations: readonly DescribedOperation[] = [
  ...evaluationOperations,
  ...ofrepOperations,
  ...syncOperations,
  ...Object.values(managementOperations)
    .map(({ described }) => described)
    .sort((left, right) => placeOf(left) - placeOf(right)),
];

/** The operations that newcomers need first come first. */
function placeOf({ path, method }: DescribedOperation): number {
  const place = ['/api/v1/token', '/api/v1/flags', '/api/v1/flags/{id}'].indexOf(path);
  return (place < 0 ? Number.MAX_SAFE_INTEGER / 2 : place) * 2 + (method === 'get' ? 0 : 1);
}

function pathsObject(): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  }
  return paths;
}

/**
 * @param version of the product, from package.json.
 * @returns the OpenAPI 3.1 document of all that programs use, the same bytes for the same version.
 */
export function openApiDocument(version: string): Record<string, unknown> {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Burgee',
      version,
      description:
        'Feature flags: the Evaluation API (`/v1`), OFREP (`/projects/…/ofrep/v1`), sync (`/sync/v1`) and the Management API (`/api/v1`).',
      contact: { name: 'Whoever runs this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags,
    paths: pathsObject(),
    components: {
      securitySchemes: { bearerToken },
      schemas: componentSchemas(),
    },
  };
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => withWidth(value));
}

const int32Max = 2 ** 31 - 1;

/** Without a format, generators read an integer as 32 bits: a time in milliseconds is then wrong, or an error. */
function withWidth(value: unknown): unknown {
  const { type, maximum } = (value ?? {}) as { readonly type?: unknown; readonly maximum?: number };
  if (type !== 'integer' || (maximum !== undefined && maximum <= int32Max)) return value;
  return { ...(value as object), format: 'int64' };
}
