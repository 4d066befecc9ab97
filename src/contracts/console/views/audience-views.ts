import { type Static, Type } from 'typebox';
import { id, revision, shape, text, time } from './view-parts.ts';

export const audienceRuleSchema = shape({ attribute: text, values: Type.Array(text) });

export const audienceViewSchema = shape({
  id,
  projectId: id,
  name: text,
  rules: Type.Array(audienceRuleSchema),
  createdAt: time,
  updatedAt: time,
  revision,
  /** Where it is attached: for each flag the environments' numbers. The first 200 flags; `useCount` counts all. */
  uses: Type.Array(shape({ flagId: id, flagName: text, environmentNumbers: Type.Array(Type.Integer()) })),
  useCount: Type.Integer({ minimum: 0 }),
});
export type AudienceView = Static<typeof audienceViewSchema>;
