import type { Token } from '../../domain/token/token.ts';
import { checkHash, type Finding, type StoreWalk } from '../check/store-walk.ts';
import { rangeOf } from '../keys/key-parts.ts';
import { findById, findBySecretHash, ownedBy, ownerIndex, secretIndex } from '../record-index.ts';
import { recordCodec } from '../records/record-codec.ts';
import { projectRecord } from './projects.ts';
import { replacedTable } from './table.ts';

export const tokenRecord = recordCodec({
  database: 'tokens',
  version: 1,
  toRow: (it: Token) => [
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
    // A copy: msgpack returns a view of the whole record.
    secretHash: new Uint8Array(row[9]),
    denialEmailedAt: row[10],
    revision: row[11],
  }),
});

const tokenProjectIndex = ownerIndex<Token>('tokens-by-project', ({ projectId }) => projectId);
const tokenSecretIndex = secretIndex<Token>('tokens-by-secret-hash');

export const tokenTable = replacedTable({
  kind: 'token',
  codec: tokenRecord,
  indexes: [tokenProjectIndex, tokenSecretIndex],
  answers: {
    token: ({ source }, id) => findById(source, tokenRecord, id),
    tokenBySecretHash: ({ source }, hash) => findBySecretHash(source, tokenSecretIndex, tokenRecord, hash),
    tokensOf: ({ source }, projectId) => ownedBy(source, tokenProjectIndex, tokenRecord, projectId),
  },
  // Its denials and uses.
  onDelete: (target, { id }) => {
    for (const database of ['activity', 'token-uses'] as const) target.removeRange(database, rangeOf(id));
  },
  examine: checkToken,
});

function* checkToken(walk: StoreWalk, token: Token): Generator<Finding> {
  const where = `tokens/${token.id}`;
  yield* walk.reference(where, projectRecord, token.projectId);
  const project = walk.findById(projectRecord, token.projectId);
  if (project !== null && project.organisationId === null) {
    yield { where, what: 'is of a personal project, which cannot have tokens' };
  }
  yield* checkHash(where, token.secretHash);
}
