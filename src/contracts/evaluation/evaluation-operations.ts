import type { ProblemCode } from '../../domain/problem.ts';
import type { DescribedOperation, OperationParameter } from '../operation.ts';
import { evaluationFlagSchema } from './evaluation-flag.ts';
import { evaluationListSchema } from './evaluation-list.ts';
import { healthSchema, unhealthySchema } from './health.ts';

function queryParameter(name: string, description: string, example: string): OperationParameter {
  return { name, in: 'query', required: false, description, example };
}

const contextParameters: readonly OperationParameter[] = [
  queryParameter('env', 'Environment name. Required for a multi-environment project.', 'production'),
  queryParameter('targetingKey', 'Stable id for sticky percentage bucketing.', 'user-42'),
  queryParameter(
    'cohort',
    'Identifier that is looked up in the cohort list. URL-encode it: + is %2B, a space is %20.',
    'alpha-testers',
  ),
  {
    name: 'attributes',
    in: 'query',
    required: false,
    description:
      'Every other query parameter is an attribute for audience matching: each property of this object is a parameter of its own, `plan=pro`. A parameter named `attributes[plan]` would be another attribute. A repeated parameter has several values.',
    example: { plan: 'pro' },
    schema: { type: 'object', additionalProperties: { type: 'string' } },
    style: 'form',
    explode: true,
  },
];

const evaluationProblems: readonly ProblemCode[] = [
  'invalid-request',
  'evaluation-access-off',
  'not-found',
  'too-many-requests',
  'internal-error',
  'service-unavailable',
];

/** The three routes of the Evaluation API. They need no credentials. */
export const evaluationOperations: readonly DescribedOperation[] = [
  {
    id: 'evaluate-flag',
    tag: 'Evaluation API',
    method: 'get',
    path: '/v1/flags/{flag_id}',
    summary: 'Ask whether a flag is on for a caller',
    description:
      'Needs no credentials, and may be called from a browser of any origin. The answer shows every change that was acknowledged before.',
    parameters: [
      {
        name: 'flag_id',
        in: 'path',
        required: true,
        description: 'Flag id.',
        example: 'k3VvX0aPq7Lw2ZtR9bNd',
      },
      ...contextParameters,
    ],
    requestBody: null,
    answers: [{ status: 200, description: 'The decision for this caller.', schema: evaluationFlagSchema }],
    problems: evaluationProblems,
  },
  {
    id: 'evaluate-project',
    tag: 'Evaluation API',
    method: 'get',
    path: '/v1/flags/project/{project_id}',
    summary: 'Ask for every flag of a project at once',
    description:
      'Needs no credentials, and may be called from a browser of any origin. All flags are answered for one caller, from one state.',
    parameters: [
      {
        name: 'project_id',
        in: 'path',
        required: true,
        description: 'The project: its id, or its slug if that is public.',
        example: 'Qm4ZtR9bNdk3VvX0aPq7',
      },
      ...contextParameters,
    ],
    requestBody: null,
    answers: [
      {
        status: 200,
        description: 'The decision for this caller, flag by flag, by name, then id.',
        schema: evaluationListSchema,
      },
    ],
    problems: evaluationProblems,
  },
  {
    id: 'read-health',
    tag: 'Evaluation API',
    method: 'get',
    path: '/health',
    summary: 'Ask whether the service can evaluate',
    description: 'For load balancers and probes. Needs no credentials.',
    parameters: [],
    requestBody: null,
    answers: [
      { status: 200, description: 'The service can evaluate.', schema: healthSchema },
      { status: 503, description: 'The service cannot evaluate.', schema: unhealthySchema },
    ],
    // Of a request whose end is not certain.
    problems: ['invalid-request'],
  },
];
