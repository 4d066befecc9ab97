import { type Static, Type } from 'typebox';
import { nullable, shape, text, time } from './view-parts.ts';

/** One rule's part in an answer, in the order of the rules. */
export const trialStepSchema = shape({
  rule: Type.Union([
    Type.Literal('switch'),
    Type.Literal('cohort'),
    Type.Literal('audience'),
    Type.Literal('percentage'),
  ]),
  /** `decides` ends it, `passes` goes on to the next rule, `not-reached` comes after the end. */
  outcome: Type.Union([Type.Literal('decides'), Type.Literal('passes'), Type.Literal('not-reached')]),
  /** A sentence for people. */
  explanation: text,
});

export const trialSchema = shape({
  enabled: Type.Boolean(),
  reason: text,
  /** 0 to below 100, in hundredths: where the bucketing key falls; null without a key. */
  bucketPercent: nullable(Type.Number()),
  steps: Type.Array(trialStepSchema),
});
export type Trial = Static<typeof trialSchema>;

export const evaluationCountsSchema = shape({
  /** Beginning of each hour, ascending; the last is the present one. */
  hours: Type.Array(time),
  series: Type.Array(
    shape({
      environmentNumber: Type.Integer({ minimum: 0 }),
      on: Type.Array(Type.Integer({ minimum: 0 })),
      off: Type.Array(Type.Integer({ minimum: 0 })),
    }),
  ),
});
export type EvaluationCounts = Static<typeof evaluationCountsSchema>;
