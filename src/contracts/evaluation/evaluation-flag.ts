import { type Static, Type } from 'typebox';
import { described } from '../described.ts';

/** The answer of `GET /v1/flags/{flag_id}`: the decision for this caller, not the flag's settings. */
export const evaluationFlagSchema = Type.Object(
  {
    id: Type.String(described('Flag id, 20 characters.', 'k3VvX0aPq7Lw2ZtR9bNd')),
    name: Type.String(described('Flag name.', 'checkout')),
    enabled: Type.Boolean(described('Whether the flag is on for this caller.', true)),
  },
  { title: 'EvaluationFlag', additionalProperties: false },
);

export type EvaluationFlag = Static<typeof evaluationFlagSchema>;
