import type { DescribedOperation, OperationAnswer, OperationParameter } from '../operation.ts';
import { environmentInPath, projectInPath } from '../place-parameters.ts';
import { ofrepErrorSchema, ofrepFlagSchema, ofrepFlagsSchema, ofrepRequestSchema } from './ofrep-schemas.ts';

function failure(status: number, description: string): OperationAnswer {
  const hasRetryAfter = status === 429 || status === 500;
  return { status, description, schema: ofrepErrorSchema, hasRetryAfter };
}

const failures = [
  failure(400, 'The body, the context, `X-API-Key` or the request is malformed.'),
  failure(403, 'Evaluation API access is switched off for the project.'),
  failure(404, 'There is no such project, environment or flag.'),
  failure(413, 'The body is longer than 64 KiB.'),
  failure(429, '`evaluation-rate-limit` is set, and reached.'),
  failure(500, 'The service failed, or has too much to do: then `Retry-After` says when to ask again.'),
];
/** A request for events has no body. */
const failuresOfEvents = failures.filter(({ status }) => status !== 413);

const key: OperationParameter = {
  name: 'key',
  in: 'path',
  required: true,
  description: "The flag's name, or its id. It may have slashes, encoded or not.",
  example: 'checkout',
};
const tagExample = '"kY0yQmV6s2k9w1wq3o8b7g0cYx7fV1m2n3b4v5c6x7z"';
const knownTag: OperationParameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an answer that you have: the same answer is a 304.',
  example: tagExample,
};
const knownConfiguration: OperationParameter = {
  name: 'flagConfigEtag',
  in: 'query',
  required: false,
  description:
    'The `etag` of an event of change: unless it is that of the present flags, the answer is no 304.',
  example: 'Qm4ZtR9bNdk3VvX0aPq7.42',
};
const lastEvent: OperationParameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The last event that you had. Unless it is the newest, the newest comes at once.',
  example: 'Qm4ZtR9bNdk3VvX0aPq7.42',
};

const listTag = { ETag: { description: 'A hash of the answer.', example: tagExample } };
const credentials = 'Needs no credentials, and may be called from a browser of any origin.';

/** The three endpoints of an address. @param suffix of their ids and summaries */
function operationsAt(
  base: string,
  place: readonly OperationParameter[],
  { id, words }: { readonly id: string; readonly words: string },
): readonly DescribedOperation[] {
  const flags = `${base}/ofrep/v1/evaluate/flags`;
  return [
    {
      id: `ofrep-flag${id}`,
      tag: 'OFREP',
      method: 'post',
      path: `${flags}/{key}`,
      summary: `Ask by OFREP whether a flag is on${words}`,
      description: credentials,
      parameters: [...place, key],
      requestBody: ofrepRequestSchema,
      answers: [
        { status: 200, description: 'The decision for this caller.', schema: ofrepFlagSchema },
        ...failures,
      ],
      problems: [],
    },
    {
      id: `ofrep-flags${id}`,
      tag: 'OFREP',
      method: 'post',
      path: flags,
      summary: `Ask by OFREP for every flag${words}`,
      description: `${credentials} The tag is a hash of the answer: it changes with the flags and with the context.`,
      parameters: [...place, knownConfiguration, knownTag],
      requestBody: ofrepRequestSchema,
      answers: [
        {
          ...{ status: 200, description: 'The decisions for this caller.', schema: ofrepFlagsSchema },
          headers: listTag,
        },
        { status: 304, description: 'The answer is the known one.', schema: null, headers: listTag },
        ...failures,
      ],
      problems: [],
    },
    {
      id: `ofrep-events${id}`,
      tag: 'OFREP',
      method: 'get',
      path: `${base}/ofrep/v1/events`,
      summary: `Follow changes by OFREP${words}`,
      description: `${credentials} Each event says that flags have changed, never what.`,
      parameters: [...place, lastEvent],
      requestBody: null,
      answers: [
        {
          status: 200,
          description:
            'Server-sent events: each `data` is `{"type":"refetchEvaluation","etag","lastModified"}`.',
          schema: null,
          isStream: true,
        },
        ...failuresOfEvents,
      ],
      problems: [],
    },
  ];
}

/** OFREP below a project's address. Providers know it by its protocol; here it is for those that read and try it. */
export const ofrepOperations: readonly DescribedOperation[] = [
  ...operationsAt('/projects/{project_id}/{environment}', [projectInPath, environmentInPath], {
    id: '',
    words: '',
  }),
  ...operationsAt('/projects/{project_id}', [projectInPath], {
    id: '-single',
    words: ', in a single-environment project',
  }),
];
