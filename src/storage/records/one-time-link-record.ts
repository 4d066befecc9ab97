import type { Role } from '../../domain/member/member.ts';
import type { OneTimeLink, OneTimeLinkPurpose } from '../../domain/session/one-time-link.ts';
import { recordCodec } from './record-codec.ts';

type PurposeRow =
  | readonly [kind: 'invitation', email: string, role: Role]
  | readonly [kind: 'first-owner']
  | readonly [kind: 'sign-in', memberId: string];

type OneTimeLinkRow = readonly [
  id: string,
  organisationId: string,
  purpose: PurposeRow,
  secretHash: Uint8Array,
  createdBy: string | null,
  createdAt: number,
  expiresAt: number,
];

export const oneTimeLinkRecord = recordCodec<OneTimeLink, OneTimeLinkRow>({
  database: 'links',
  version: 1,
  toRow: (it) => [
    it.id,
    it.organisationId,
    purposeToRow(it.purpose),
    it.secretHash,
    it.createdBy,
    it.createdAt,
    it.expiresAt,
  ],
  fromRow: ([id, organisationId, purpose, secretHash, createdBy, createdAt, expiresAt]) => ({
    id,
    organisationId,
    purpose: purposeFromRow(purpose),
    // A copy: what msgpack returns is a view of the whole record.
    secretHash: new Uint8Array(secretHash),
    createdBy,
    createdAt,
    expiresAt,
  }),
});

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
