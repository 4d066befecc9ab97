import type { Organisation } from '../../domain/organisation/organisation.ts';
import { allOf, findById } from '../record-index.ts';
import { recordCodec } from '../records/record-codec.ts';
import { replacedTable } from './table.ts';

export const organisationRecord = recordCodec({
  database: 'organisations',
  version: 1,
  toRow: (it: Organisation) => [
    it.id,
    it.name,
    it.plan,
    it.trialEndsAt,
    it.subscription,
    it.createdAt,
    it.revision,
  ],
  fromRow: ([id, name, plan, trialEndsAt, subscription, createdAt, revision]) => ({
    id,
    name,
    plan,
    trialEndsAt,
    subscription,
    createdAt,
    revision,
  }),
});

export const organisationTable = replacedTable({
  kind: 'organisation',
  codec: organisationRecord,
  answers: {
    organisation: ({ source }, id) => findById(source, organisationRecord, id),
    organisations: ({ source }) => allOf(source, organisationRecord),
  },
});
