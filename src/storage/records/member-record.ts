import type { Member, Role } from '../../domain/member/member.ts';
import { recordCodec } from './record-codec.ts';

type MemberRow = readonly [
  id: string,
  organisationId: string | null,
  name: string,
  email: string,
  role: Role,
  passwordHash: string | null,
  createdAt: number,
  revision: number,
];

export const memberRecord = recordCodec<Member, MemberRow>({
  database: 'members',
  version: 1,
  toRow: (it) => [
    it.id,
    it.organisationId,
    it.name,
    it.email,
    it.role,
    it.passwordHash,
    it.createdAt,
    it.revision,
  ],
  fromRow: ([id, organisationId, name, email, role, passwordHash, createdAt, revision]) => ({
    id,
    organisationId,
    name,
    email,
    role,
    passwordHash,
    createdAt,
    revision,
  }),
});
