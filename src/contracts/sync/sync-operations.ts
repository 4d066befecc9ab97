import type { ProblemCode } from '../../domain/problem.ts';
import type { DescribedOperation, OperationParameter } from '../operation.ts';
import { environmentInPath, projectInPath } from '../place-parameters.ts';
import { syncReceiptSchema, syncSnapshotSchema, syncUsageSchema } from './sync-schemas.ts';

const readProblems: readonly ProblemCode[] = [
  'invalid-request',
  'missing-bearer-token',
  'malformed-bearer-token',
  'unknown-token',
  'token-revoked',
  'token-expired',
  'environment-not-permitted',
  'not-found',
  'too-many-failed-attempts',
  'internal-error',
  'service-unavailable',
];
const reportProblems: readonly ProblemCode[] = [...readProblems, 'request-timeout', 'payload-too-large'];

const tagExample = '"Qm4ZtR9bNdk3VvX0aPq7.42"';
const versionTag = {
  ETag: { description: 'The version in quotes. A stream has none.', example: tagExample },
};
const knownTag: OperationParameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of a configuration that you have: while nothing has changed, the answer is a 304.',
  example: tagExample,
};
const lastEvent: OperationParameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'Of a stream: the last event that you had. The stream goes on there, or begins with a snapshot.',
  example: 'Qm4ZtR9bNdk3VvX0aPq7.42',
};

const snapshotOrStream =
  'With `Accept: text/event-stream` the answer is a stream that does not end: `snapshot`, then each change as a `delta`. Any other answer is the whole configuration. Needs any active token of the project.';

/** Both endpoints of an address. @param place below the path of sync */
function operationsAt(
  place: string,
  parameters: readonly OperationParameter[],
  { id, words }: { readonly id: string; readonly words: string },
): readonly DescribedOperation[] {
  return [
    {
      id: `sync${id}`,
      tag: 'Sync',
      method: 'get',
      path: `/sync/v1/${place}`,
      summary: `Get the configuration for local evaluation${words}`,
      description: snapshotOrStream,
      parameters: [...parameters, knownTag, lastEvent],
      requestBody: null,
      answers: [
        {
          ...{ status: 200, description: 'What is evaluated.', schema: syncSnapshotSchema, isStream: true },
          headers: versionTag,
        },
        {
          ...{ status: 304, description: 'Nothing has changed.', schema: null },
          headers: versionTag,
        },
      ],
      problems: readProblems,
    },
    {
      id: `sync-usage${id}`,
      tag: 'Sync',
      method: 'post',
      path: `/sync/v1/usage/${place}`,
      summary: `Report what was evaluated locally${words}`,
      description:
        'So that charts and the search for unused flags know of it. Needs any active token of the project.',
      parameters,
      requestBody: syncUsageSchema,
      answers: [
        { status: 200, description: 'The report was counted, now or before.', schema: syncReceiptSchema },
      ],
      problems: reportProblems,
    },
  ];
}

/** Sync, for programs that evaluate by themselves. */
export const syncOperations: readonly DescribedOperation[] = [
  ...operationsAt('{project_id}/{environment}', [projectInPath, environmentInPath], { id: '', words: '' }),
  ...operationsAt('{project_id}', [projectInPath], {
    id: '-single',
    words: ', in a single-environment project',
  }),
];
