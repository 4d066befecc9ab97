import { type Static, Type } from 'typebox';
import type { AudienceUses } from '../../domain/audience/audience-uses.ts';
import type { Audience } from '../../domain/evaluation/audience.ts';
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
  /** Where it is attached: the environments' numbers by flag, for the first 200 flags; `useCount` counts all. */
  uses: Type.Array(shape({ flagId: id, flagName: text, environmentNumbers: Type.Array(Type.Integer()) })),
  useCount: Type.Integer({ minimum: 0 }),
});
export type AudienceView = Static<typeof audienceViewSchema>;

export function audienceView(audience: Audience, { uses, useCount }: AudienceUses): AudienceView {
  const { id, projectId, name, createdAt, updatedAt, revision } = audience;
  const rules = audience.rules.map(({ attribute, values }) => ({ attribute, values: [...values] }));
  const shownUses = uses.map((use) => ({ ...use, environmentNumbers: [...use.environmentNumbers] }));
  return { id, projectId, name, rules, createdAt, updatedAt, revision, uses: shownUses, useCount };
}
