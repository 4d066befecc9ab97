import { type Static, Type } from 'typebox';
import { evaluationFlagSchema } from './evaluation-flag.ts';

/** The answer of `GET /v1/flags/project/{project_id}`: every flag of the project, by name, then id. */
export const evaluationListSchema = Type.Array(evaluationFlagSchema, { title: 'EvaluationList' });

export type EvaluationList = Static<typeof evaluationListSchema>;
