import { type Static, Type } from 'typebox';
import { nullable, shape, text, time } from './view-parts.ts';

/** What one rule did in an evaluation; rules in their order. */
export const trialStepSchema = shape({
  rule: Type.Union([
    Type.Literal('switch'),
    Type.Literal('cohort'),
    Type.Literal('audience'),
    Type.Literal('percentage'),
  ]),
  /** `decides` gives the answer, `passes` continues with the next rule, `not-reached` comes after the decision. */
  outcome: Type.Union([Type.Literal('decides'), Type.Literal('passes'), Type.Literal('not-reached')]),
  /** A sentence for people. */
  explanation: text,
});

export const trialSchema = shape({
  enabled: Type.Boolean(),
  reason: text,
  /** The bucket, 0 to below 100, in hundredths; null without a bucketing key. */
  bucketPercent: nullable(Type.Number()),
  steps: Type.Array(trialStepSchema),
});
export type Trial = Static<typeof trialSchema>;

export const evaluationCountsSchema = shape({
  /** The beginning of each hour, ascending; the last one is the present hour. */
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
