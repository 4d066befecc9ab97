import type { Organisation } from '../../domain/organisation/organisation.ts';
import { allOf, findById } from '../record-index.ts';
import { plain, recordOf } from '../records/record-codec.ts';
import { replacedTable } from './table.ts';

export const organisationRecord = recordOf<Organisation>('organisations', {
  id: plain,
  name: plain,
  plan: plain,
  trialEndsAt: plain,
  subscription: plain,
  createdAt: plain,
  revision: plain,
});

export const organisationTable = replacedTable({
  kind: 'organisation',
  codec: organisationRecord,
  answers: {
    organisation: ({ source }, id) => findById(source, organisationRecord, id),
    organisations: ({ source }) => allOf(source, organisationRecord),
  },
});
