import type { Audience } from '../../domain/evaluation/audience.ts';
import { recordCodec } from './record-codec.ts';

type RuleRow = readonly [attribute: string, values: readonly string[]];

type AudienceRow = readonly [
  id: string,
  projectId: string,
  name: string,
  rules: readonly RuleRow[],
  createdAt: number,
  updatedAt: number,
  revision: number,
];

export const audienceRecord = recordCodec<Audience, AudienceRow>({
  database: 'audiences',
  version: 1,
  toRow: (it) => [
    it.id,
    it.projectId,
    it.name,
    it.rules.map((rule) => [rule.attribute, rule.values] as const),
    it.createdAt,
    it.updatedAt,
    it.revision,
  ],
  fromRow: ([id, projectId, name, rules, createdAt, updatedAt, revision]) => ({
    id,
    projectId,
    name,
    rules: rules.map(([attribute, values]) => ({ attribute, values })),
    createdAt,
    updatedAt,
    revision,
  }),
});
