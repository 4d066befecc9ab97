import type { Role } from '../../domain/member/member.ts';
import type { OneTimeLink, OneTimeLinkPurpose } from '../../domain/session/one-time-link.ts';
import { checkHash, type Finding, type StoreWalk } from '../check/store-walk.ts';
import { findById, findBySecretHash, ownedBy, ownerIndex, secretIndex } from '../record-index.ts';
import { copiedBytes, plain, recordOf, storedAs } from '../records/record-codec.ts';
import { memberRecord } from './members.ts';
import { organisationRecord } from './organisations.ts';
import { replacedTable } from './table.ts';

type PurposeRow =
  | readonly [kind: 'invitation', email: string, role: Role]
  | readonly [kind: 'first-owner']
  | readonly [kind: 'sign-in', memberId: string];

function purposeToRow(purpose: OneTimeLinkPurpose): PurposeRow {
  switch (purpose.kind) {
    case 'invitation':
      return ['invitation', purpose.email, purpose.role];
    case 'first-owner':
      return ['first-owner'];
    case 'sign-in':
      return ['sign-in', purpose.memberId];
  }
}

function purposeFromRow(row: PurposeRow): OneTimeLinkPurpose {
  switch (row[0]) {
    case 'invitation':
      return { kind: 'invitation', email: row[1], role: row[2] };
    case 'first-owner':
      return { kind: 'first-owner' };
    case 'sign-in':
      return { kind: 'sign-in', memberId: row[1] };
  }
}

export const oneTimeLinkRecord = recordOf<OneTimeLink>('links', {
  id: plain,
  organisationId: plain,
  purpose: storedAs(purposeToRow, purposeFromRow),
  secretHash: copiedBytes,
  createdBy: plain,
  createdAt: plain,
  expiresAt: plain,
});

const linkSecretIndex = secretIndex<OneTimeLink>('links-by-secret');
const linkOrganisationIndex = ownerIndex<OneTimeLink>(
  'links-by-organisation',
  ({ organisationId }) => organisationId,
);

export const oneTimeLinkTable = replacedTable({
  kind: 'one-time-link',
  codec: oneTimeLinkRecord,
  indexes: [linkSecretIndex, linkOrganisationIndex],
  answers: {
    oneTimeLink: ({ source }, id) => findById(source, oneTimeLinkRecord, id),
    oneTimeLinkBySecretHash: ({ source }, hash) =>
      findBySecretHash(source, linkSecretIndex, oneTimeLinkRecord, hash),
    oneTimeLinksOf: ({ source }, id) => ownedBy(source, linkOrganisationIndex, oneTimeLinkRecord, id),
  },
  examine: checkLink,
});

function* checkLink(walk: StoreWalk, link: OneTimeLink): Generator<Finding> {
  const where = `links/${link.id}`;
  const memberId = link.purpose.kind === 'sign-in' ? link.purpose.memberId : null;
  if (memberId !== null) yield* walk.reference(where, memberRecord, memberId);
  // For a person without an organisation, the member's own id.
  if (link.organisationId !== memberId) {
    yield* walk.reference(where, organisationRecord, link.organisationId);
  }
  yield* checkHash(where, link.secretHash);
}
