import type { AudienceUses } from '../../domain/audience/audience-uses.ts';
import type { Audience } from '../../domain/evaluation/audience.ts';
import type { AudienceView } from './views/audience-views.ts';

export function audienceView(audience: Audience, { uses, useCount }: AudienceUses): AudienceView {
  const { id, projectId, name, createdAt, updatedAt, revision } = audience;
  const rules = audience.rules.map(({ attribute, values }) => ({ attribute, values: [...values] }));
  const shownUses = uses.map((use) => ({ ...use, environmentNumbers: [...use.environmentNumbers] }));
  return { id, projectId, name, rules, createdAt, updatedAt, revision, uses: shownUses, useCount };
}
