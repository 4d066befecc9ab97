import type { Permission, Token } from '../../domain/token/token.ts';
import { recordCodec } from './record-codec.ts';

type TokenRow = readonly [
  id: string,
  projectId: string,
  name: string,
  permission: Permission,
  environments: readonly string[] | null,
  expiresAt: number,
  createdBy: string | null,
  createdAt: number,
  revokedAt: number | null,
  secretHash: Uint8Array,
  denialEmailedAt: number,
  revision: number,
];

export const tokenRecord = recordCodec<Token, TokenRow>({
  database: 'tokens',
  version: 1,
  toRow: (it) => [
    it.id,
    it.projectId,
    it.name,
    it.permission,
    it.environments,
    it.expiresAt,
    it.createdBy,
    it.createdAt,
    it.revokedAt,
    it.secretHash,
    it.denialEmailedAt,
    it.revision,
  ],
  fromRow: (row) => ({
    id: row[0],
    projectId: row[1],
    name: row[2],
    permission: row[3],
    environments: row[4],
    expiresAt: row[5],
    createdBy: row[6],
    createdAt: row[7],
    revokedAt: row[8],
    // A copy: what msgpack returns is a view of the whole record.
    secretHash: new Uint8Array(row[9]),
    denialEmailedAt: row[10],
    revision: row[11],
  }),
});
