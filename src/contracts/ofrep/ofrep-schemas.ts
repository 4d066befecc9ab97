import { type Static, Type } from 'typebox';
import { evaluationReasons, openFeatureReasons } from '../../domain/evaluation/evaluation-reason.ts';
import { described } from '../described.ts';

/** The body of a question by OFREP. */
export const ofrepRequestSchema = Type.Object(
  {
    context: Type.Optional(
      Type.Union(
        [
          Type.Object({
            targetingKey: Type.Optional(
              Type.String(described('Stable id for sticky percentage bucketing.', 'user-42')),
            ),
          }),
          Type.Null(),
        ],
        described(
          'The caller: `targetingKey`, `cohort`, and any attributes. Texts, numbers, booleans and lists of them count; objects are dropped.',
          { targetingKey: 'user-42', plan: 'pro' },
        ),
      ),
    ),
  },
  { title: 'OfrepRequest' },
);
export type OfrepRequest = Static<typeof ofrepRequestSchema>;

const metadataSchema = Type.Object(
  {
    reason: Type.Enum(
      evaluationReasons.map(({ name }) => name),
      described('The rule that decided.', 'bucket-in-rollout'),
    ),
    flagId: Type.String(described('Flag id, 20 characters.', 'k3VvX0aPq7Lw2ZtR9bNd')),
    version: Type.String(described('Counts the changes of the flag; a number as text.', '7')),
    flagSetId: Type.String(
      described('The project, and the environment where it has several.', 'Qm4ZtR9bNdk3VvX0aPq7/production'),
    ),
  },
  { additionalProperties: false, description: 'What decided, and on what. Values are texts.' },
);

/** The answer about one flag. */
export const ofrepFlagSchema = Type.Object(
  {
    key: Type.String(described('The flag as it was asked for: its name or its id.', 'checkout')),
    value: Type.Boolean(described('Whether the flag is on for this caller.', true)),
    reason: Type.Enum(
      [...new Set(openFeatureReasons)],
      described("The deciding rule in OpenFeature's words. A flag that is off is `STATIC`.", 'SPLIT'),
    ),
    variant: Type.Enum(['on', 'off'], described('The value as a word.', 'on')),
    metadata: metadataSchema,
  },
  { title: 'OfrepFlag', additionalProperties: false },
);
export type OfrepFlag = Static<typeof ofrepFlagSchema>;

const eventStreamSchema = Type.Object(
  {
    type: Type.Literal('sse', described('Server-sent events.', 'sse')),
    url: Type.String(
      described(
        'Absolute address of the events.',
        'https://flags.example.com/projects/Qm4ZtR9bNdk3VvX0aPq7/production/ofrep/v1/events',
      ),
    ),
  },
  { additionalProperties: false },
);

/** The answer about all flags of a project. */
export const ofrepFlagsSchema = Type.Object(
  {
    flags: Type.Array(ofrepFlagSchema, described('Every flag of the project, by name, then id.', [])),
    eventStreams: Type.Optional(
      Type.Array(eventStreamSchema, described('Where changes are told; only with `Origin`.', [])),
    ),
  },
  { title: 'OfrepFlags', additionalProperties: false },
);
export type OfrepFlags = Static<typeof ofrepFlagsSchema>;

/** The body of every error of OFREP. */
export const ofrepErrorSchema = Type.Object(
  {
    key: Type.Optional(
      Type.String(described('The flag that was asked for; absent for all flags.', 'checkout')),
    ),
    errorCode: Type.Enum(
      ['PARSE_ERROR', 'INVALID_CONTEXT', 'FLAG_NOT_FOUND', 'GENERAL'],
      described('The kind of error, in the words of the protocol.', 'FLAG_NOT_FOUND'),
    ),
    errorDetails: Type.String(
      described(
        'Cause and fix, for people. Log it; do not parse it.',
        'The project has no flag with the id or name "checkout".',
      ),
    ),
  },
  { title: 'OfrepError', additionalProperties: false },
);
export type OfrepError = Static<typeof ofrepErrorSchema>;
