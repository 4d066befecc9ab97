import type { Audience } from '../../domain/evaluation/audience.ts';
import type { EvaluableAudience } from '../../domain/evaluation/compiled-audience.ts';
import type { Steps } from '../../support/steps.ts';
import { recordCodec } from './record-codec.ts';
import type { RowReader } from './row-reader.ts';

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

/** A list that is longer ends a step. */
const stepBytes = 64 * 1024;

/**
 * Reads what evaluation needs of an audience, in steps. Its lists refer to `bytes`, which must stay as they are.
 * @throws DamagedRecordError
 */
export function skimAudience(key: Uint8Array, bytes: Buffer): Steps<EvaluableAudience> {
  return audienceRecord.skim(key, bytes, skimRow);
}

function* skimRow(row: RowReader): Steps<EvaluableAudience> {
  const fields = row.enterArray();
  const id = row.readString();
  row.pass(2);
  const rules = [];
  for (let left = row.enterArray(); left > 0; left -= 1) {
    const ruleFields = row.enterArray();
    const rule = { attribute: row.readString(), values: row.passList() };
    rules.push(rule);
    row.pass(ruleFields - 2);
    if (rule.values.end - rule.values.start > stepBytes) yield;
  }
  row.pass(fields - 4);
  row.requireEnd();
  return { id, rules };
}
